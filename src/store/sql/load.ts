/** What the stores read, in the dialect both databases share. */
import type { AgentId, NoteId, RoomId } from "../../core/ids.ts";
import type { NoteQuery, RoomQuery } from "../../engine/ports/store.ts";
import { LIMITED, marks, type SqlValue, type Statement } from "./statement.ts";

/** A condition on the rooms table, there called `r`. */
export interface RoomCondition {
  readonly where: string;
  readonly params: readonly SqlValue[];
}

export function roomWithId(roomId: RoomId): RoomCondition {
  return { where: "r.room_id = ?", params: [roomId] };
}

export function roomsOf(query: RoomQuery): RoomCondition {
  const conditions: RoomCondition[] = [{ where: "1 = 1", params: [] }];
  if (query.host !== undefined) conditions.push({ where: "r.host = ?", params: [query.host] });
  if (query.paths !== undefined) conditions.push(pathAmong(query.paths));
  if (query.project !== undefined) conditions.push({ where: "r.project = ?", params: [query.project] });
  if (query.owned) conditions.push({ where: "r.status = 'owned'", params: [] });
  if (query.agentId !== undefined) {
    const where = "EXISTS (SELECT 1 FROM members a WHERE a.room_id = r.room_id AND a.agent_id = ?)";
    conditions.push({ where, params: [query.agentId] });
  }
  return {
    where: conditions.map((condition) => condition.where).join(" AND "),
    params: conditions.flatMap((condition) => condition.params),
  };
}

function pathAmong(paths: readonly string[]): RoomCondition {
  if (paths.length === 0) return { where: "1 = 0", params: [] };
  return { where: `r.path IN (${marks(paths)})`, params: paths };
}

/** The four looks that together are a room, or several. */
export interface RoomSelects {
  readonly rooms: Statement;
  readonly members: Statement;
  readonly waits: Statement;
  readonly handoffs: Statement;
}

export const ROOM_COLUMNS = [
  "room_id",
  "host",
  "path",
  "project",
  "policy",
  "created_at",
  "updated_at",
  "status",
  "turn_id",
  "owner",
  "reserved_for",
  "reserved_via",
  "handoff_seq",
  "handoff_from",
  "turn_head",
  "last_seq",
  "lease_id",
  "lease_epoch",
  "lease_ms",
  "claim_epoch",
  "claim_ms",
  "cooldown_agent",
  "cooldown_epoch",
  "cooldown_ms",
  "suspended_ms",
] as const;

export const MEMBER_COLUMNS = [
  "room_id",
  "agent_id",
  "harness",
  "joined_seq",
  "held_seq",
  "card",
  "last_seen_epoch",
  "last_seen_ms",
  "last_seen_at",
  "process",
  "session_id",
  "tmux_pane",
] as const;

export const WAIT_COLUMNS = [
  "room_id",
  "agent_id",
  "claims",
  "sees_mail",
  "caller",
  "since_at",
  "deadline_epoch",
  "deadline_ms",
] as const;

/** The columns of the table that a statement calls `alias`. */
export function columnsOf(alias: string, columns: readonly string[]): string {
  return columns.map((column) => `${alias}.${column}`).join(", ");
}

/** The handle of a member that another room has merged already belongs to its present name. */
export const MEMBER_HANDLE = "COALESCE(h.handle, p.handle)";
export const JOIN_HANDLES = `LEFT JOIN handles h ON h.project = r.project AND h.agent_id = m.agent_id
        LEFT JOIN aliases a ON a.old_agent_id = m.agent_id
        LEFT JOIN handles p ON p.project = r.project AND p.agent_id = a.agent_id`;

export const EVENT_COLUMNS = `room_id, event_seq, event_id, turn_id, event_type, from_agent_id, to_agent_id, handoff, reason,
  created_at, payload`;

const NOTE_COLUMNS = "note_id, room_id, turn_id, author_agent_id, body, created_at, resolved_at, resolved_by_agent_id";

export function selectRooms({ where, params }: RoomCondition): RoomSelects {
  return {
    rooms: {
      sql: `SELECT ${columnsOf("r", ROOM_COLUMNS)} FROM rooms r WHERE ${where} ORDER BY r.updated_at DESC, r.room_id`,
      params,
    },
    members: {
      sql: `SELECT ${columnsOf("m", MEMBER_COLUMNS)}, ${MEMBER_HANDLE} AS handle
        FROM rooms r JOIN members m ON m.room_id = r.room_id ${JOIN_HANDLES}
        WHERE ${where} ORDER BY m.room_id, m.joined_seq, m.agent_id`,
      params,
    },
    waits: {
      sql: `SELECT ${columnsOf("w", WAIT_COLUMNS)}
        FROM rooms r JOIN waits w ON w.room_id = r.room_id WHERE ${where} ORDER BY w.room_id, w.since_at, w.agent_id`,
      params,
    },
    handoffs: {
      sql: `SELECT e.room_id, e.handoff FROM rooms r
        JOIN events e ON e.room_id = r.room_id AND e.event_seq = r.handoff_seq WHERE ${where}`,
      params,
    },
  };
}

/** Which of the paths have a room. */
export function selectRoomPaths(host: string, paths: readonly string[]): Statement {
  const { where, params } = roomsOf({ host, paths });
  return { sql: `SELECT r.room_id, r.path FROM rooms r WHERE ${where}`, params };
}

/** The handles of a project, each with whether its agent is a member of any room there, be it by a former name. */
export function selectHandles(project: string): Statement {
  return handlesWhere("h.project = ?", project);
}

/** The same for the project of a room that has not been loaded yet. */
export function selectHandlesAround(roomId: RoomId): Statement {
  return handlesWhere("h.project = (SELECT o.project FROM rooms o WHERE o.room_id = ?)", roomId);
}

function handlesWhere(where: string, param: string): Statement {
  return {
    sql: `SELECT h.handle, h.agent_id, CASE WHEN EXISTS (
        SELECT 1 FROM members m JOIN rooms r ON r.room_id = m.room_id
        WHERE m.agent_id = h.agent_id AND r.project = h.project
      ) OR EXISTS (
        SELECT 1 FROM aliases a JOIN members m ON m.agent_id = a.old_agent_id JOIN rooms r ON r.room_id = m.room_id
        WHERE a.agent_id = h.agent_id AND r.project = h.project
      ) THEN 1 ELSE 0 END AS live
      FROM handles h WHERE ${where} ORDER BY h.handle`,
    params: [param],
  };
}

/** The former names of a room's members. */
export function selectAliases(roomId: RoomId): Statement {
  return {
    sql: `SELECT a.old_agent_id, a.agent_id FROM members m JOIN aliases a ON a.agent_id = m.agent_id
      WHERE m.room_id = ? ORDER BY a.old_agent_id`,
    params: [roomId],
  };
}

export function selectAlias(agentId: AgentId): Statement {
  return { sql: "SELECT old_agent_id, agent_id FROM aliases WHERE old_agent_id = ?", params: [agentId] };
}

export function selectNote(roomId: RoomId, noteId: NoteId): Statement {
  return { sql: `SELECT ${NOTE_COLUMNS} FROM notes WHERE note_id = ? AND room_id = ?`, params: [noteId, roomId] };
}

/** The newest first. */
export function selectNotes(roomId: RoomId, limit: number, { unresolvedOnly, before }: NoteQuery): Statement {
  const open = unresolvedOnly ? "AND resolved_at IS NULL" : "";
  const older =
    before === undefined
      ? ""
      : "AND event_seq < (SELECT n.event_seq FROM notes n WHERE n.note_id = ? AND n.room_id = ?)";
  return {
    sql: `SELECT ${NOTE_COLUMNS} FROM notes WHERE room_id = ? ${open} ${older} ORDER BY event_seq DESC ${LIMITED}`,
    params: [roomId, ...(before === undefined ? [] : [before, roomId]), limit],
  };
}

export function selectEvents(roomId: RoomId, afterSeq: number, limit: number): Statement {
  return { sql: EVENTS_TEXT, params: [roomId, afterSeq, limit] };
}

/** The newest first. */
export function selectEventsBefore(roomId: RoomId, beforeSeq: number, limit: number): Statement {
  return { sql: EVENTS_BEFORE_TEXT, params: [roomId, beforeSeq, limit] };
}

/** The words of the condition are those of its index. */
const COMING = "event_type IN ('member_joined', 'session_superseded')";

export function selectComing(roomId: RoomId, agentId: AgentId): Statement {
  return {
    sql: `SELECT 1 AS found FROM events WHERE room_id = ? AND from_agent_id = ? AND ${COMING} LIMIT 1`,
    params: [roomId, agentId],
  };
}

/** As above; whom a kick is about is whom it was done to. */
const DEPARTING = "event_type IN ('member_left', 'kick')";
const DEPARTED = "(CASE event_type WHEN 'kick' THEN to_agent_id ELSE from_agent_id END)";

/** The sum keeps SQLite from going back through the log, which is in that order already. */
export function selectDeparture(roomId: RoomId, names: readonly AgentId[]): Statement {
  return {
    sql: `SELECT ${EVENT_COLUMNS} FROM events WHERE room_id = ? AND ${DEPARTING} AND ${DEPARTED} IN (${marks(names)})
      ORDER BY event_seq + 0 DESC LIMIT 1`,
    params: [roomId, ...names],
  };
}

/** Everybody who has ever come into a room. */
export function selectComers(roomId: RoomId): Statement {
  return {
    sql: `SELECT DISTINCT from_agent_id FROM events WHERE room_id = ? AND ${COMING} AND from_agent_id IS NOT NULL`,
    params: [roomId],
  };
}

const EVENTS_TEXT = `SELECT ${EVENT_COLUMNS} FROM events WHERE room_id = ? AND event_seq > ? ORDER BY event_seq ${LIMITED}`;
const EVENTS_BEFORE_TEXT = `SELECT ${EVENT_COLUMNS} FROM events WHERE room_id = ? AND event_seq < ? ORDER BY event_seq DESC ${LIMITED}`;
