/** Rows read back as domain values. Anything that write-rows.ts would not have written is a damaged store. */
import { EVENT_TYPES, type RoomEvent } from "../../core/event.ts";
import type { Handoff } from "../../core/handoff.ts";
import type { AgentId, LeaseId, RoomId } from "../../core/ids.ts";
import type { Instant } from "../../core/time.ts";
import type { Aliases } from "../../room/rules/alias.ts";
import type { TakenHandle } from "../../room/rules/membership.ts";
import type { Note } from "../../room/rules/note.ts";
import type {
  AttachedHandoff,
  Member,
  Presence,
  Reservation,
  Room,
  StoredStatus,
  Wait,
} from "../../room/rules/room.ts";
import { bit, corrupt, type Decoder, finite, idOf, json, nullable, oneOf, remembering, text, whole } from "./decode.ts";
import { handoff, payloadOf, processRef, stateCard } from "./documents.ts";
import { policyIn } from "./policy-text.ts";
import type { SqlRow } from "./statement.ts";

const storedStatus = oneOf<StoredStatus>(["idle", "owned", "reserved", "closed"]);

const processText = remembering(json(processRef));
const cardText = remembering(json(stateCard));

const reservedVia = oneOf<Reservation["via"]>(["pass", "sequence"]);

/** Reads column after column, so that a fault can name the place. */
export class Columns {
  readonly #table: string;
  readonly #row: SqlRow;

  constructor(table: string, row: SqlRow) {
    this.#table = table;
    this.#row = row;
  }

  get<T>(column: string, decode: Decoder<T>): T {
    return decode(this.#row[column], `${this.#table}.${column}`);
  }

  instant(name: string): Instant | null {
    const epoch = this.get(`${name}_epoch`, nullable(text));
    const ms = this.get(`${name}_ms`, nullable(finite));
    if (epoch !== null && ms !== null) return { epoch, ms };
    if (epoch !== ms) throw this.halfThere(name);
    return null;
  }

  halfThere(name: string) {
    return corrupt(`${this.#table}.${name}`, "is only half there");
  }
}

/** The rows of one or several rooms; all but `rooms` may be empty. */
export interface RoomRows {
  readonly rooms: readonly SqlRow[];
  readonly members: readonly SqlRow[];
  readonly waits: readonly SqlRow[];
  readonly handoffs: readonly SqlRow[];
}

/** The rooms, in the order of their rows. */
export function readRooms(rows: RoomRows): readonly Room[] {
  const members = byRoom("members", rows.members);
  const waits = byRoom("waits", rows.waits);
  const handoffs = byRoom("events", rows.handoffs);
  return rows.rooms.map((row) => {
    const roomId = new Columns("rooms", row).get("room_id", idOf<RoomId>());
    return readRoom(row, members.get(roomId) ?? [], waits.get(roomId) ?? [], handoffs.get(roomId)?.[0]);
  });
}

function byRoom(table: string, rows: readonly SqlRow[]): ReadonlyMap<string, readonly SqlRow[]> {
  const groups = new Map<string, SqlRow[]>();
  for (const row of rows) {
    const roomId = new Columns(table, row).get("room_id", text);
    const group = groups.get(roomId);
    if (group) group.push(row);
    else groups.set(roomId, [row]);
  }
  return groups;
}

function readRoom(
  row: SqlRow,
  memberRows: readonly SqlRow[],
  waitRows: readonly SqlRow[],
  handoffRow: SqlRow | undefined,
): Room {
  const columns = new Columns("rooms", row);
  const members = memberRows.map(readMember);
  const presence = memberRows.flatMap((memberRow) => readPresence(memberRow) ?? []);
  const waits = waitRows.map(readWait);
  return {
    id: columns.get("room_id", idOf<RoomId>()),
    host: columns.get("host", text),
    path: columns.get("path", text),
    project: columns.get("project", text),
    policy: columns.get("policy", policyIn),
    createdAt: columns.get("created_at", text),
    updatedAt: columns.get("updated_at", text),
    state: {
      status: columns.get("status", storedStatus),
      turnId: columns.get("turn_id", whole),
      owner: columns.get("owner", nullable(idOf<AgentId>())),
      reservation: readReservation(columns),
      handoff: readAttachedHandoff(columns, handoffRow),
      turnHead: columns.get("turn_head", nullable(text)),
      members: new Map(members.map((member) => [member.agentId, member])),
      lastSeq: columns.get("last_seq", whole),
    },
    lease: readLease(columns),
    claimDeadline: columns.instant("claim"),
    cooldown: readCooldown(columns),
    suspendedMs: columns.get("suspended_ms", finite),
    presence: new Map(presence.map((entry) => [entry.agentId, entry])),
    waits: new Map(waits.map((wait) => [wait.agentId, wait])),
  };
}

function readReservation(columns: Columns): Reservation | null {
  const agentId = columns.get("reserved_for", nullable(idOf<AgentId>()));
  const via = columns.get("reserved_via", nullable(reservedVia));
  if (agentId !== null && via !== null) return { agentId, via };
  if (agentId !== via) throw columns.halfThere("reserved_for");
  return null;
}

function readAttachedHandoff(columns: Columns, row: SqlRow | undefined): AttachedHandoff | null {
  const seq = columns.get("handoff_seq", nullable(whole));
  const fromAgentId = columns.get("handoff_from", nullable(idOf<AgentId>()));
  if (seq === null || fromAgentId === null) {
    if (seq !== null || fromAgentId !== null) throw columns.halfThere("handoff_seq");
    return null;
  }
  if (row === undefined) throw corrupt("rooms.handoff_seq", `names event ${seq}, which is not there`);
  return { handoff: new Columns("events", row).get("handoff", json<Handoff>(handoff)), fromAgentId, seq };
}

function readLease(columns: Columns) {
  const leaseId = columns.get("lease_id", nullable(idOf<LeaseId>()));
  const deadline = columns.instant("lease");
  if (leaseId !== null && deadline !== null) return { leaseId, deadline };
  if (leaseId !== null || deadline !== null) throw columns.halfThere("lease");
  return null;
}

function readCooldown(columns: Columns) {
  const agentId = columns.get("cooldown_agent", nullable(idOf<AgentId>()));
  const until = columns.instant("cooldown");
  if (agentId !== null && until !== null) return { agentId, until };
  if (agentId !== null || until !== null) throw columns.halfThere("cooldown");
  return null;
}

/** A store may give the same row again and again, and rows are never altered. */
function oncePerRow<T>(read: (row: SqlRow) => T): (row: SqlRow) => T {
  const known = new WeakMap<SqlRow, { readonly value: T }>();
  return (row) => {
    const before = known.get(row);
    if (before) return before.value;
    const value = read(row);
    known.set(row, { value });
    return value;
  };
}

const readMember = oncePerRow((row): Member => {
  const columns = new Columns("members", row);
  return {
    agentId: columns.get("agent_id", idOf<AgentId>()),
    harness: columns.get("harness", text),
    joinedSeq: columns.get("joined_seq", whole),
    heldSeq: columns.get("held_seq", nullable(whole)),
    card: columns.get("card", nullable(cardText)),
  };
});

const readPresence = oncePerRow((row): Presence | null => {
  const columns = new Columns("members", row);
  const lastSeen = columns.instant("last_seen");
  if (lastSeen === null) return null;
  return {
    agentId: columns.get("agent_id", idOf<AgentId>()),
    handle: columns.get("handle", idOf<Presence["handle"]>()),
    lastSeen,
    lastSeenAt: columns.get("last_seen_at", text),
    process: columns.get("process", nullable(processText)),
    sessionId: columns.get("session_id", nullable(text)),
    tmuxPane: columns.get("tmux_pane", nullable(text)),
  };
});

const readWait = oncePerRow((row): Wait => {
  const columns = new Columns("waits", row);
  const deadline = columns.instant("deadline");
  if (deadline === null) throw corrupt("waits.deadline", "is missing");
  return {
    agentId: columns.get("agent_id", idOf<AgentId>()),
    claims: columns.get("claims", bit),
    seesMail: columns.get("sees_mail", bit),
    caller: columns.get("caller", nullable(processText)),
    sinceAt: columns.get("since_at", text),
    deadline,
  };
});

export function readEvent(row: SqlRow): RoomEvent {
  const columns = new Columns("events", row);
  const type = columns.get("event_type", oneOf(EVENT_TYPES));
  return {
    seq: columns.get("event_seq", whole),
    eventId: columns.get("event_id", idOf<RoomEvent["eventId"]>()),
    roomId: columns.get("room_id", idOf<RoomId>()),
    turnId: columns.get("turn_id", whole),
    type,
    fromAgentId: columns.get("from_agent_id", nullable(idOf<AgentId>())),
    toAgentId: columns.get("to_agent_id", nullable(idOf<AgentId>())),
    handoff: columns.get("handoff", nullable(json(handoff))),
    reason: columns.get("reason", nullable(json(text))),
    createdAt: columns.get("created_at", text),
    payload: columns.get("payload", json<unknown>(payloadOf(type))),
  } as RoomEvent;
}

export function readNote(row: SqlRow): Note {
  const columns = new Columns("notes", row);
  return {
    noteId: columns.get("note_id", idOf<Note["noteId"]>()),
    roomId: columns.get("room_id", idOf<RoomId>()),
    turnId: columns.get("turn_id", nullable(whole)),
    authorAgentId: columns.get("author_agent_id", idOf<AgentId>()),
    body: columns.get("body", json(text)),
    createdAt: columns.get("created_at", text),
    resolvedAt: columns.get("resolved_at", nullable(text)),
    resolvedByAgentId: columns.get("resolved_by_agent_id", nullable(idOf<AgentId>())),
  };
}

export function readAliases(rows: readonly SqlRow[]): Aliases {
  return new Map(
    rows.map((row) => {
      const columns = new Columns("aliases", row);
      return [columns.get("old_agent_id", idOf<AgentId>()), columns.get("agent_id", idOf<AgentId>())];
    }),
  );
}

export function readHandle(row: SqlRow): TakenHandle {
  const columns = new Columns("handles", row);
  return {
    handle: columns.get("handle", idOf<TakenHandle["handle"]>()),
    agentId: columns.get("agent_id", idOf<AgentId>()),
    live: columns.get("live", bit),
  };
}
