/** What the stores read of rooms, in the dialect both databases share. */
import type { AgentId, NoteId, RoomId } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import type { ChangeTarget, IdQuery, NoteQuery, RoomQuery } from "../../engine/ports/store.ts";
import type { Aliases } from "../../room/rules/alias.ts";
import type { AttachedHandoff, Member, Room } from "../../room/rules/room.ts";
import type { Presence } from "../../session/rules/session.ts";
import { corrupt, json, text } from "./codec.ts";
import { attachedEvidence, handoff } from "./documents.ts";
import { join, limit, list, raw, rowsBy, type SqlRow, type Statement, sql } from "./statement.ts";
import { aliases, events, handle, members, notes, roomId as roomIdCodec, rooms, waits } from "./tables.ts";

export function roomWithId(roomId: RoomId): Statement {
  return sql`r.room_id = ${roomId}`;
}

/** A condition on the rooms table, which the statement calls `r`. */
export function roomsOf({ host, paths, project, owned, agentId }: RoomQuery): Statement {
  const conditions = [sql`1 = 1`];
  if (host !== undefined) conditions.push(sql`r.host = ${host}`);
  if (paths !== undefined) conditions.push(sql`r.path IN (${list(paths)})`);
  if (project !== undefined) conditions.push(sql`r.project = ${project}`);
  if (owned) conditions.push(sql`r.status = 'owned'`);
  if (agentId !== undefined)
    conditions.push(sql`EXISTS (SELECT 1 FROM members a WHERE a.room_id = r.room_id AND a.agent_id = ${agentId})`);
  return join(conditions, " AND ");
}

/** A member that another room has merged already has the handle of its present name. */
export const MEMBER_HANDLE = sql`COALESCE(h.handle, p.handle)`;
export const JOIN_HANDLES = sql`LEFT JOIN handles h ON h.project = r.project AND h.agent_id = m.agent_id
        LEFT JOIN aliases a ON a.old_agent_id = m.agent_id
        LEFT JOIN handles p ON p.project = r.project AND p.agent_id = a.agent_id`;

/** The four selects that together are a room, or several. */
export function selectRooms(where: Statement) {
  return {
    rooms: sql`SELECT ${rooms.columns("r")} FROM rooms r WHERE ${where} ORDER BY r.updated_at DESC, r.room_id`,
    members: sql`SELECT m.room_id, ${members.columns("m")}, ${MEMBER_HANDLE} AS handle
        FROM rooms r JOIN members m ON m.room_id = r.room_id ${JOIN_HANDLES}
        WHERE ${where} ORDER BY m.room_id, m.joined_seq, m.agent_id`,
    waits: sql`SELECT w.room_id, ${waits.columns("w")} FROM rooms r JOIN waits w ON w.room_id = r.room_id
        WHERE ${where} ORDER BY w.room_id, w.since_at, w.agent_id`,
    handoffs: sql`SELECT e.room_id, e.handoff, v.payload AS evidence FROM rooms r
        JOIN events e ON e.room_id = r.room_id AND e.event_seq = r.handoff_seq
        LEFT JOIN events v ON v.room_id = r.room_id AND v.event_seq = r.evidence_seq WHERE ${where}`,
  };
}

/** The rows of one or several rooms; all but `rooms` may be empty. */
export type RoomRows = { readonly [Key in keyof ReturnType<typeof selectRooms>]: readonly SqlRow[] };

/** The rooms, in the order of their rows. */
export function readRooms(rows: RoomRows): readonly Room[] {
  const memberRows = rowsBy("room_id", rows.members);
  const waitRows = rowsBy("room_id", rows.waits);
  const handoffRows = rowsBy("room_id", rows.handoffs);
  return rows.rooms.map((row) => {
    const room = rooms.read(row);
    const present = (memberRows.get(room.id) ?? []).map(readMember);
    const waiting = (waitRows.get(room.id) ?? []).map(readWait);
    const attached = room.state.handoff;
    return {
      ...room,
      state: {
        ...room.state,
        handoff: attached && { ...attached, handoff: readHandoff(attached, handoffRows.get(room.id)?.[0]) },
        members: new Map(present.map(({ member }) => [member.agentId, member])),
      },
      presence: new Map(present.flatMap(({ presence }) => (presence ? [[presence.agentId, presence]] : []))),
      waits: new Map(waiting.map((wait) => [wait.agentId, wait])),
    };
  });
}

/** A store may return the same row object again and again, and rows are immutable. */
function memoizeByRow<T extends object>(read: (row: SqlRow) => T): (row: SqlRow) => T {
  const known = new WeakMap<SqlRow, T>();
  return (row) => {
    const value = known.get(row) ?? read(row);
    known.set(row, value);
    return value;
  };
}

const readMember = memoizeByRow((row): { readonly member: Member; readonly presence: Presence | null } => {
  const { member, presence } = members.read(row);
  const { agentId } = member;
  return { member, presence: presence && { agentId, handle: handle(row["handle"], "handles.handle"), ...presence } };
});

const readWait = memoizeByRow(waits.read);

function readHandoff({ seq, evidenceSeq }: Pick<AttachedHandoff, "seq" | "evidenceSeq">, row: SqlRow | undefined) {
  if (row === undefined) throw corrupt("rooms.handoff_seq", `names event ${seq}, which is not there`);
  const told = json(handoff)(row["handoff"], "events.handoff");
  if (evidenceSeq === null) return told;
  if (row["evidence"] === null) throw corrupt("rooms.evidence_seq", `names event ${evidenceSeq}, which is not there`);
  return { ...told, evidence: json(attachedEvidence)(row["evidence"], "events.payload").evidence };
}

export type PathTarget = Extract<ChangeTarget, { readonly paths: unknown }>;

/** Deepest first. The path that a new room would get comes last, so that no path ever has two rooms. */
export function pathsToSearch({ host, paths, otherwise }: PathTarget): readonly string[] {
  invariant(otherwise.host === host, "a room is made on the host that was searched");
  return paths.includes(otherwise.path) ? paths : [...paths, otherwise.path];
}

/** Which of the paths have a room. */
export function selectRoomPaths(host: string, paths: readonly string[]): Statement {
  return sql`SELECT r.room_id, r.path FROM rooms r WHERE ${roomsOf({ host, paths })}`;
}

export function deepestRoom(paths: readonly string[], rows: readonly SqlRow[]): RoomId | null {
  const found = new Map(rows.map((row) => [text(row["path"], "rooms.path"), readRoomId(row)]));
  const path = paths.find((candidate) => found.has(candidate));
  return (path !== undefined && found.get(path)) || null;
}

export function readRoomId(row: SqlRow): RoomId {
  return roomIdCodec(row["room_id"], "rooms.room_id");
}

/** The handles of a project, each with whether its agent is a member of any room there, perhaps by a former name. */
export function selectHandles(project: string): Statement {
  return handlesWhere(sql`h.project = ${project}`);
}

/** The same for the project of a room that is not loaded yet. */
export function selectHandlesAround(roomId: RoomId): Statement {
  return handlesWhere(sql`h.project = (SELECT o.project FROM rooms o WHERE o.room_id = ${roomId})`);
}

function handlesWhere(where: Statement): Statement {
  return sql`SELECT h.handle, h.agent_id, CASE WHEN EXISTS (
        SELECT 1 FROM members m JOIN rooms r ON r.room_id = m.room_id
        WHERE m.agent_id = h.agent_id AND r.project = h.project
      ) OR EXISTS (
        SELECT 1 FROM aliases a JOIN members m ON m.agent_id = a.old_agent_id JOIN rooms r ON r.room_id = m.room_id
        WHERE a.agent_id = h.agent_id AND r.project = h.project
      ) THEN 1 ELSE 0 END AS live
      FROM handles h WHERE ${where} ORDER BY h.handle`;
}

export const IS_ALIAS_OF_MEMBER = sql`(a.agent_id = m.agent_id OR a.old_agent_id = m.agent_id)`;

/** The former names of a room's members, and the present names of members that it knows by a former one. */
export function selectAliases(roomId: RoomId): Statement {
  return sql`SELECT a.old_agent_id, a.agent_id FROM members m JOIN aliases a ON ${IS_ALIAS_OF_MEMBER}
      WHERE m.room_id = ${roomId} ORDER BY a.old_agent_id`;
}

export function readAliases(rows: readonly SqlRow[]): Aliases {
  return new Map(rows.map(aliases.read).map(({ oldAgentId, agentId }) => [oldAgentId, agentId]));
}

export function selectNote(roomId: RoomId, noteId: NoteId): Statement {
  return sql`SELECT ${notes.columns()} FROM notes WHERE note_id = ${noteId} AND room_id = ${roomId}`;
}

/** The newest first. */
export function selectNotes(roomId: RoomId, rows: number, { unresolvedOnly, before }: NoteQuery): Statement {
  const open = unresolvedOnly ? sql`AND resolved_at IS NULL` : sql``;
  const older =
    before === undefined
      ? sql``
      : sql`AND event_seq < (SELECT n.event_seq FROM notes n WHERE n.note_id = ${before} AND n.room_id = ${roomId})`;
  return sql`SELECT ${notes.columns()} FROM notes WHERE room_id = ${roomId} ${open} ${older}
      ORDER BY event_seq DESC ${limit(rows)}`;
}

/** Word for word the condition of its index. */
const JOINED = sql`event_type IN ('member_joined', 'session_superseded')`;

export function selectJoin(roomId: RoomId, agentId: AgentId): Statement {
  return sql`SELECT 1 AS found FROM events WHERE room_id = ${roomId} AND from_agent_id = ${agentId} AND ${JOINED} LIMIT 1`;
}

/** Every agent that has ever joined a room. */
export function selectJoined(roomId: RoomId): Statement {
  return sql`SELECT DISTINCT from_agent_id FROM events
      WHERE room_id = ${roomId} AND ${JOINED} AND from_agent_id IS NOT NULL`;
}

/** Word for word the condition and the column of their index. A kick is about its target. */
const DEPARTING = sql`event_type IN ('member_left', 'kick')`;
const DEPARTED = sql`(CASE event_type WHEN 'kick' THEN to_agent_id ELSE from_agent_id END)`;

/** The sum keeps SQLite from going back through the log, which is in that order already. */
export function selectDeparture(roomId: RoomId, names: readonly AgentId[]): Statement {
  return sql`SELECT ${events.columns()} FROM events
      WHERE room_id = ${roomId} AND ${DEPARTING} AND ${DEPARTED} IN (${list(names)})
      ORDER BY event_seq + 0 DESC LIMIT 1`;
}

/** Ids consist of characters before this one, so it ends the range of those that begin alike. */
const BEHIND_ALL = "~";

/** The ids that begin so, each once, as `id`. */
export function selectIds(query: IdQuery, prefix: string, rows: number): Statement {
  const { id, from } = placeOfIds(query);
  return sql`SELECT DISTINCT ${id} AS id FROM ${from} AND ${id} >= ${prefix} AND ${id} < ${`${prefix}${BEHIND_ALL}`}
        ORDER BY ${id} ${limit(rows)}`;
}

function placeOfIds(query: IdQuery): { readonly id: Statement; readonly from: Statement } {
  if (query.kind === "message") return { id: raw("event_id"), from: sql`events WHERE event_type = 'message_sent'` };
  if (query.kind === "note") return { id: raw("note_id"), from: sql`notes WHERE room_id = ${query.roomId}` };
  return { id: raw(`${query.kind}_id`), from: raw(`${query.kind}s WHERE 1 = 1`) };
}
