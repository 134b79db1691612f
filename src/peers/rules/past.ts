/**
 * A room as its log tells that it was at a moment, for a look back. Leases, waits, mailboxes, and what agents did between
 * their events are in no log. So a picture of the past leaves them out: nobody waits in it, and no agent is known to work.
 */
import { isEventType, type RoomEvent, whoDeparted } from "../../core/event.ts";
import { type AgentId, asLeaseId, type RoomId } from "../../core/ids.ts";
import { DEFAULT_POLICY, type Policy } from "../../core/policy.ts";
import { wallMsOf } from "../../core/time.ts";
import { evolve, withEvidence } from "../../room/rules/evolve.ts";
import type { Note } from "../../room/rules/note.ts";
import { createRoom, INITIAL_STATE, type Member, placeOf, type RoomState } from "../../room/rules/room.ts";
import { NO_EVIDENCE } from "../../session/rules/decision-input.ts";
import { OBSERVER } from "../../session/rules/observer.ts";
import { makePicture, type RoomPicture } from "./picture.ts";
import type { ShownMembers } from "./picture-agents.ts";

export interface Past {
  readonly state: RoomState;
  readonly policy: Policy;
  readonly openNotes: number;
  /** By which the present turn, or the last one, began; null if the log does not reach back that far. */
  readonly grant: RoomEvent | null;
}

export function pastAfter(past: Past, event: RoomEvent): Past {
  // A newer program may have written what this one does not know. What it did to the room cannot be told.
  if (!isEventType(event.type)) return { ...past, state: { ...past.state, lastSeq: event.seq } };
  const state = evolve(past.state, event);
  if (event.type === "claim" || event.type === "takeover") return { ...past, state, grant: event };
  if (event.type === "policy_changed") {
    return { ...past, state, policy: { ...past.policy, ...event.payload.changes } };
  }
  const opened = event.type === "note_added" ? 1 : 0;
  const resolved = event.type === "note_resolved" ? 1 : 0;
  return { ...past, state, openNotes: past.openNotes + opened - resolved };
}

/** What is known of a room now, beside its log. */
export interface KnownNow {
  readonly state: RoomState;
  readonly policy: Policy;
  /** The policy of a new room. One whose log was deleted may have had another: there the guard counts as off. */
  readonly newPolicy: Policy;
  readonly notes: readonly Note[];
  /** Older events that were left when the log was deleted, such as the last handoff. */
  readonly left: readonly RoomEvent[];
}

/**
 * The room before the first event of its log. The log of a room that was long unused may have been deleted up to there, so
 * what has not changed since is taken from the room as it is now. A card that has changed since is not known.
 */
export function pastBefore(events: readonly RoomEvent[], now: KnownNow): Past {
  const firstSeq = events[0]?.seq ?? now.state.lastSeq + 1;
  const changed = events.flatMap((event) =>
    event.type === "policy_changed" ? Object.keys(event.payload.changes) : [],
  ) as (keyof Policy)[];
  const former = firstSeq === 1 ? now.newPolicy : DEFAULT_POLICY;
  const before = changed.map((key) => [key, former[key]]);
  const policy = { ...now.policy, ...Object.fromEntries(before) };
  const state = firstSeq === 1 ? INITIAL_STATE : stateBefore(firstSeq, events, now);
  return { state, policy, openNotes: notesBefore(events, now.notes).length, grant: null };
}

/** The notes that were open before the first of these events. */
export function notesBefore(events: readonly RoomEvent[], notes: readonly Note[]): readonly Note[] {
  const added = new Set(events.flatMap((event) => (event.type === "note_added" ? event.payload.noteId : [])));
  const resolved = new Set(events.flatMap((event) => (event.type === "note_resolved" ? event.payload.noteId : [])));
  return notes
    .filter(({ noteId, resolvedAt }) => !added.has(noteId) && (resolvedAt === null || resolved.has(noteId)))
    .map((note) => ({ ...note, resolvedAt: null, resolvedByAgentId: null }));
}

function stateBefore(firstSeq: number, events: readonly RoomEvent[], { state: now, left }: KnownNow): RoomState {
  const grant = events.find(({ type }) => type === "claim" || type === "takeover");
  const opening = events.find(({ type }) => type === "close" || type === "reopen");
  const wasClosed = opening ? opening.type === "reopen" : now.status === "closed";
  const showsCard = new Set(events.map(({ type, fromAgentId }) => (type === "state_changed" ? fromAgentId : null)));
  const asBefore = (member: Member): Member => ({
    ...member,
    heldSeq: member.heldSeq !== null && member.heldSeq < firstSeq ? member.heldSeq : null,
    card: showsCard.has(member.agentId) ? null : member.card,
  });
  return {
    ...INITIAL_STATE,
    status: wasClosed ? "closed" : "idle",
    turnId: grant ? grant.turnId - 1 : now.turnId,
    handoff: handoffIn(left),
    members: new Map(
      [...departed(events), ...now.members.values()]
        .filter(({ joinedSeq }) => joinedSeq < firstSeq)
        .map((member) => [member.agentId, asBefore(member)]),
    ),
    lastSeq: firstSeq - 1,
  };
}

/** Members that left without having joined since. Their ids begin with their harness. */
function departed(events: readonly RoomEvent[]): readonly Member[] {
  const joined = new Set<AgentId | null>();
  return events.flatMap((event) => {
    const agentId = whoDeparted(event);
    if (event.type === "member_joined") joined.add(event.fromAgentId);
    if (agentId === null || joined.has(agentId)) return [];
    joined.add(agentId);
    const [harness = "agent"] = agentId.split(":");
    return [{ agentId, harness, joinedSeq: 0, heldSeq: null, card: null }];
  });
}

function handoffIn(events: readonly RoomEvent[]): RoomState["handoff"] {
  const event = events.findLast(({ handoff }) => handoff !== null);
  if (!event?.handoff || event.fromAgentId === null) return null;
  const { handoff, fromAgentId, seq } = event;
  const evidence = events.findLast((one) => one.type === "evidence_attached" && one.payload.handoffSeq === seq);
  const attached = { handoff, fromAgentId, seq, evidenceSeq: null };
  return evidence?.type === "evidence_attached" ? withEvidence(attached, evidence) : attached;
}

/** What of a room never changes, and the names that people call its agents. */
export interface PastPlace {
  readonly roomId: RoomId;
  readonly host: string;
  readonly path: string;
  readonly project: string;
  readonly names: RoomPicture["names"];
}

/** Nobody in particular looks back. */
const READER = { agentId: null, isPerson: false };
const MOST_ROWS = 50;

/** Without talk and turns, which a reader of the log has anyway. `at` is the wall time of that moment. */
export function pastPicture({ state, policy, openNotes, grant }: Past, place: PastPlace, at: string): RoomPicture {
  const { roomId: id, host, path, project, names } = place;
  const room = { ...createRoom({ id, host, path, project, policy, createdAt: at }), state };
  const wallMs = wallMsOf(at);
  const moment = { instant: { epoch: "past", ms: wallMs }, suspendedMs: 0, wallMs };
  const given = { moment, evidence: NO_EVIDENCE, caller: OBSERVER, commandId: "", freshLeaseId: asLeaseId("") };
  const nothing = new Map<AgentId, never>();
  const picture = makePicture({
    room,
    given,
    machineOf: () => null,
    machine: null,
    reader: READER,
    shown: shownOf(state),
    sessions: nothing,
    activities: nothing,
    branches: nothing,
    unread: nothing,
    asks: [],
    leftQuestions: [],
    readQuestions: new Set(),
    questions: new Map(),
    events: grant === null ? [] : [grant],
    deliveries: new Map(),
    openNotes,
    protection: null,
    mostTalk: 0,
    mostTurns: 0,
  });
  // Who was at work is not known, so a stick that nobody holds is just free.
  const isFree = picture.now.state === "dormant";
  return {
    ...picture,
    names,
    ...(isFree && { now: { ...picture.now, state: "idle" }, detail: { ...picture.detail, state: "idle" } }),
  };
}

/** The holder, the next one, and those that joined or held last. */
function shownOf({ owner, reservation, members }: RoomState): ShownMembers {
  const matters = ({ agentId }: Member) => agentId === owner || agentId === reservation?.agentId;
  const newest = [...members.values()].toSorted((a, b) => placeOf(b) - placeOf(a));
  const inOrder = [...newest.filter(matters), ...newest.filter((member) => !matters(member))];
  const rows = inOrder.slice(0, MOST_ROWS).map(({ agentId }) => agentId);
  return { rows, gone: [], away: [], notListed: members.size - rows.length };
}
