/** The tables, each with its one codec. The migrations of both databases create them with these columns. */

import { EVENT_TYPES, type RoomEvent } from "../../core/event.ts";
import type { AgentId, EventId, Handle, LeaseId, NoteId, RoomId } from "../../core/ids.ts";
import {
  ASK_STATES,
  type Ask,
  ATTEMPT_OUTCOMES,
  type Attempt,
  DELIVERY_STATES,
  type Delivery,
  type Receiver,
  type SentRecord,
  type StoredMailbox,
  WAKE_OUTCOMES,
} from "../../core/mail-records.ts";
import type { Instant } from "../../core/time.ts";
import { isShown } from "../../mail/rules/delivery.ts";
import type { TakenHandle } from "../../room/rules/membership.ts";
import type { Note } from "../../room/rules/note.ts";
import type { AttachedHandoff, Member, Pause, Room, RoomState } from "../../room/rules/room.ts";
import { STRATEGIES } from "../../session/rules/identity.ts";
import { ACTIVITIES, type Presence, type Session, type Wait } from "../../session/rules/session.ts";
import {
  bit,
  type Codec,
  finite,
  idOf,
  json,
  list,
  nullable,
  oneOf,
  optional,
  rememberedJson,
  shape,
  text,
  truth,
  whole,
} from "./codec.ts";
import { check, handoff, payloadOf, policy, processRef, stateCard } from "./documents.ts";
import type { SqlRow } from "./statement.ts";
import { column, columnsIn, group, instant, maybe, maybeInstant, table } from "./table.ts";

export const agentId = idOf<AgentId>();
export const roomId = idOf<RoomId>();
export const eventId = idOf<EventId>();
export const handle = idOf<Handle>();

const processJson = rememberedJson(processRef);

interface InRoom {
  readonly roomId: RoomId;
}

const inRoom = { room_id: (record: InRoom) => record.roomId };

/** A room without what other tables hold of it. */
export interface RoomRow extends Omit<Room, "state" | "presence" | "waits"> {
  readonly state: Omit<RoomState, "members" | "handoff"> & {
    readonly handoff: Omit<AttachedHandoff, "handoff"> | null;
  };
}

const roomState = () => ({
  policy: rememberedJson(policy),
  updatedAt: text,
  state: group({
    status: oneOf(["idle", "owned", "reserved", "closed"]),
    turnId: whole,
    owner: nullable(agentId),
    reservation: maybe({
      agentId: column("reserved_for", agentId),
      via: column("reserved_via", oneOf(["pass", "sequence"])),
      givenBy: nullable(agentId),
    }),
    handoff: maybe({
      seq: column("handoff_seq", whole),
      fromAgentId: column("handoff_from", agentId),
      evidenceSeq: nullable(whole),
    }),
    turnHead: nullable(text),
    checks: rememberedJson(list(check)),
    paused: nullable(json(shape<Pause>({ by: agentId, since: text, reason: nullable(text) }))),
    lastSeq: whole,
  }),
  lease: maybe({ leaseId: idOf<LeaseId>(), deadline: instant("lease") }),
  claimDeadline: maybeInstant("claim"),
  cooldown: maybe({ agentId: column("cooldown_agent", agentId), until: instant("cooldown") }),
  suspendedMs: finite,
});

export const rooms = table<RoomRow>("rooms", ["room_id"], () => ({
  id: column("room_id", roomId),
  host: text,
  path: text,
  project: text,
  createdAt: text,
  ...roomState(),
}));

/** A room's row is written only if it still has the sequence and the turn that the decision was made on. */
const GUARD = ["room_id", "last_seq", "turn_id"];
export const updateRoom = rooms.update(() => columnsIn(roomState()), GUARD);
/** What every event changes. */
export const updateRoomPulse = rooms.update(() => ["updated_at", "last_seq"], GUARD);

interface MemberRow {
  readonly member: Member;
  readonly presence: Omit<Presence, "agentId" | "handle"> | null;
}

export const members = table<MemberRow, MemberRow & InRoom>(
  "members",
  ["room_id", "agent_id"],
  () => ({
    member: group({
      agentId,
      harness: text,
      joinedSeq: whole,
      heldSeq: nullable(whole),
      card: nullable(rememberedJson(stateCard)),
    }),
    presence: maybe({
      lastSeen: instant("last_seen"),
      lastSeenAt: text,
      process: nullable(processJson),
      sessionId: nullable(text),
      tmuxPane: nullable(text),
    }),
  }),
  inRoom,
);

export const updateLastSeen = members.update(
  () => ["last_seen_epoch", "last_seen_ms", "last_seen_at"],
  ["room_id", "agent_id"],
);

export const waits = table<Wait, Wait & InRoom>(
  "waits",
  ["room_id", "agent_id"],
  () => ({
    agentId,
    claims: bit,
    seesMail: bit,
    caller: nullable(processJson),
    sinceAt: text,
    deadline: instant("deadline"),
  }),
  inRoom,
);

export const handles = table<TakenHandle>("handles", [], () => ({ handle, agentId, live: bit }));

export const aliases = table<{ readonly oldAgentId: AgentId; readonly agentId: AgentId }>(
  "aliases",
  ["old_agent_id"],
  () => ({
    oldAgentId: agentId,
    agentId,
  }),
);

interface EventRow extends Omit<RoomEvent, "payload"> {
  readonly payload: unknown;
}

export const events = table<EventRow>("events", [], () => ({
  seq: column("event_seq", whole),
  eventId,
  roomId,
  turnId: whole,
  type: column("event_type", oneOf(EVENT_TYPES)),
  fromAgentId: nullable(agentId),
  toAgentId: nullable(agentId),
  handoff: nullable(json(handoff)),
  reason: nullable(json(text)),
  createdAt: text,
  payload: json<unknown>((value) => value),
}));

export function readEvent(row: SqlRow): RoomEvent {
  const event = events.read(row);
  const decode: Codec<unknown> = payloadOf(event.type);
  return { ...event, payload: decode(event.payload, "events.payload") } as RoomEvent;
}

export const notes = table<Note, Note & { readonly eventSeq: number }>(
  "notes",
  [],
  () => ({
    noteId: idOf<NoteId>(),
    roomId,
    turnId: nullable(whole),
    authorAgentId: agentId,
    body: json(text),
    createdAt: text,
    resolvedAt: nullable(text),
    resolvedByAgentId: nullable(agentId),
  }),
  { event_seq: ({ eventSeq }) => eventSeq },
);

const instantShape = shape<Instant>({ epoch: text, ms: finite });

const counts = { pending: whole, in_flight: whole, acked: whole, dead_letter: whole, expired: whole };

export const mailboxes = table<StoredMailbox>("mailboxes", ["agent_id"], () => ({
  agentId,
  counts: group(counts),
  shown: whole,
  announcedSeq: whole,
  wokenSeq: whole,
  wakeWantedSeq: whole,
  wakeOutcome: nullable(oneOf(WAKE_OUTCOMES)),
  wakeClaim: nullable(json(shape({ process: processRef, until: instantShape, before: whole }))),
  receivers: json(
    list(
      shape<Receiver>({
        process: processRef,
        harness: optional(processRef),
        until: instantShape,
        from: optional(agentId),
      }),
    ),
  ),
  allowance: maybe({ left: column("allowance_left", finite), at: instant("allowance") }),
}));

export const updateCounts = mailboxes.update(() => [...Object.keys(counts), "shown"], ["agent_id"]);

/** What changes on a delivery's way. */
const deliveryState = () => ({
  state: oneOf(DELIVERY_STATES),
  due: maybeInstant("due"),
  attempts: json(
    list(
      shape<Attempt>({
        n: whole,
        transport: text,
        at: text,
        outcome: oneOf(ATTEMPT_OUTCOMES),
        reason: optional(text),
        shownIn: optional(nullable(text)),
      }),
    ),
  ),
  attemptsBefore: whole,
  requeuedFrom: nullable(whole),
  reason: nullable(json(text)),
  endedAt: nullable(text),
  purged: bit,
});

export const deliveries = table<Delivery>(
  "deliveries",
  [],
  () => ({
    seq: column("delivery_seq", whole),
    recipient: agentId,
    messageId: eventId,
    msgId: text,
    roomId,
    eventSeq: whole,
    from: column("from_agent_id", agentId),
    fromHandle: nullable(handle),
    fromHarness: text,
    bodyBytes: whole,
    interrupt: bit,
    replyTo: nullable(eventId),
    terms: group({ maxRetries: whole, baseBackoffMs: whole, inflightTimeoutMs: whole }),
    expires: instant("expires"),
    expiresAt: text,
    ...deliveryState(),
  }),
  { shown: (delivery) => (isShown(delivery) ? 1 : 0) },
);

export const updateDelivery = deliveries.update(() => [...columnsIn(deliveryState()), "shown"], ["delivery_seq"]);

export const asks = table<Ask>("asks", ["request_id"], () => ({
  requestId: eventId,
  asker: agentId,
  peer: agentId,
  state: oneOf(ASK_STATES),
  until: instant("until"),
  caller: nullable(processJson),
  replyId: nullable(eventId),
  afterSeq: nullable(whole),
}));

export const sent = table<SentRecord>("sent", [], () => ({
  sender: agentId,
  msgId: text,
  digest: text,
  answer: json(
    shape({
      messageId: eventId,
      eventSeq: whole,
      createdAt: text,
      deliveries: list(
        shape({
          to: agentId,
          state: oneOf(DELIVERY_STATES),
          willBeSeen: oneOf(["now", "next_tool_call", "turn_end", "on_wake", "when_it_returns", "unknown"]),
        }),
      ),
    }),
  ),
}));

export const sessions = table<Session>("sessions", ["project", "agent_id"], () => ({
  agentId,
  project: text,
  harness: text,
  harnessVersion: nullable(text),
  sessionId: nullable(text),
  idSource: nullable(oneOf(STRATEGIES)),
  cwd: nullable(text),
  transcriptPath: nullable(text),
  capabilities: json(shape({ mailbox: shape({ replyTo: truth, provenance: truth, pushBudget: truth }) })),
  activity: group({
    state: column("activity", oneOf(ACTIVITIES)),
    since: column("activity_since", nullable(text)),
  }),
  process: nullable(json(processRef)),
  hooked: bit,
  waker: nullable(json(processRef)),
  turn: nullable(text),
  servers: json(list(processRef)),
}));
