/**
 * A room with all that belongs to it, in one statement: every change begins with it, and several statements take
 * several times as long. The rows of each table come as one text, a line of JSON for each, because the driver makes an
 * object of every row value by value, which is slower than parsing. Of many members few change at a time: a line that
 * was read before is the row that it was then. What the values mean is read-rows.ts's business as ever.
 */
import type { RoomId } from "../../core/ids.ts";
import type { Aliases } from "../../room/rules/alias.ts";
import type { Room } from "../../room/rules/room.ts";
import { corrupt, nullable, text } from "../sql/decode.ts";
import { columnsOf, JOIN_HANDLES, MEMBER_COLUMNS, MEMBER_HANDLE, ROOM_COLUMNS, WAIT_COLUMNS } from "../sql/load.ts";
import { readAliases, readRooms } from "../sql/read-rows.ts";
import type { SqlRow, Statement } from "../sql/statement.ts";

export interface WholeRoom {
  readonly room: Room;
  /** The former names of its members. */
  readonly aliases: Aliases;
}

const HANDOFF_COLUMNS = ["room_id", "handoff"];
const ALIAS_COLUMNS = ["old_agent_id", "agent_id"];
const MEMBER_AND_HANDLE = [...MEMBER_COLUMNS, "handle"];

const SELECT = `SELECT json_array(${columnsOf("r", ROOM_COLUMNS)}) AS rooms,
  (SELECT group_concat(json_array(${columnsOf("m", MEMBER_COLUMNS)}, ${MEMBER_HANDLE}), char(10) ORDER BY m.joined_seq, m.agent_id)
    FROM members m ${JOIN_HANDLES} WHERE m.room_id = r.room_id) AS members,
  (SELECT group_concat(json_array(${columnsOf("w", WAIT_COLUMNS)}), char(10) ORDER BY w.since_at, w.agent_id)
    FROM waits w WHERE w.room_id = r.room_id) AS waits,
  (SELECT json_array(${columnsOf("e", HANDOFF_COLUMNS)})
    FROM events e WHERE e.room_id = r.room_id AND e.event_seq = r.handoff_seq) AS handoffs,
  (SELECT group_concat(json_array(${columnsOf("a", ALIAS_COLUMNS)}), char(10) ORDER BY a.old_agent_id)
    FROM members m JOIN aliases a ON a.agent_id = m.agent_id WHERE m.room_id = r.room_id) AS aliases
  FROM rooms r WHERE r.room_id = ?`;

export function selectWholeRoom(roomId: RoomId): Statement {
  return { sql: SELECT, params: [roomId] };
}

export function readWholeRoom(row: SqlRow): WholeRoom {
  const [room] = readRooms({
    rooms: rowsOf(row, "rooms", ROOM_COLUMNS),
    members: rowsOf(row, "members", MEMBER_AND_HANDLE),
    waits: rowsOf(row, "waits", WAIT_COLUMNS),
    handoffs: rowsOf(row, "handoffs", HANDOFF_COLUMNS),
  });
  if (!room) throw corrupt("rooms", "is empty");
  return { room, aliases: readAliases(rowsOf(row, "aliases", ALIAS_COLUMNS)) };
}

/** Rows by the lines they were read from, of the tables in which most rows stay as they are. */
const known = { members: new Map<string, SqlRow>(), waits: new Map<string, SqlRow>() };
const MOST_KNOWN = 500;

type Table = "rooms" | "members" | "waits" | "handoffs" | "aliases";

/** A table without rows has no text. */
function rowsOf(row: SqlRow, table: Table, columns: readonly string[]): readonly SqlRow[] {
  const lines = nullable(text)(row[table], table);
  if (lines === null) return [];
  const kept = table === "members" || table === "waits" ? known[table] : null;
  return lines.split("\n").map((line) => kept?.get(line) ?? newRow(line, table, columns, kept));
}

function newRow(line: string, table: Table, columns: readonly string[], kept: Map<string, SqlRow> | null): SqlRow {
  const values = parsed(line, table);
  const named: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) named[column] = values[index];
  if (kept && kept.size >= MOST_KNOWN) kept.clear();
  kept?.set(line, named);
  return named;
}

/** SQLite made this text of its own row; only a damaged file makes it fail. */
function parsed(json: string, table: string): readonly unknown[] {
  try {
    return JSON.parse(json) as readonly unknown[];
  } catch (error) {
    throw corrupt(table, "cannot be read", error);
  }
}
