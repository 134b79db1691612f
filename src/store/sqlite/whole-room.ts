/**
 * A room with all that belongs to it, in one statement. Every change begins with it, and several statements take several
 * times as long. The rows of each table come as one text, a line of JSON for each row, because the driver creates row
 * objects value by value, which is slower than parsing. Of many members few change at a time, so a line that was read
 * before is the row object that it was then.
 */
import type { RoomId } from "../../core/ids.ts";
import type { Aliases } from "../../room/rules/alias.ts";
import type { Room } from "../../room/rules/room.ts";
import { corrupt, nullable, text } from "../sql/codec.ts";
import { IS_ALIAS_OF_MEMBER, JOIN_HANDLES, MEMBER_HANDLE, readAliases, readRooms } from "../sql/load.ts";
import { type SqlRow, type Statement, sql } from "../sql/statement.ts";
import { aliases, members, rooms, waits } from "../sql/tables.ts";

export interface WholeRoom {
  readonly room: Room;
  /** The former names of its members, and the present names of members that it knows by a former one. */
  readonly aliases: Aliases;
}

type Table = "rooms" | "members" | "waits" | "handoffs" | "aliases";

export function selectWholeRoom(roomId: RoomId): Statement {
  return sql`SELECT json_array(${rooms.columns("r")}) AS rooms,
  (SELECT group_concat(json_array(m.room_id, ${members.columns("m")}, ${MEMBER_HANDLE}), char(10) ORDER BY m.joined_seq, m.agent_id)
    FROM members m ${JOIN_HANDLES} WHERE m.room_id = r.room_id) AS members,
  (SELECT group_concat(json_array(w.room_id, ${waits.columns("w")}), char(10) ORDER BY w.since_at, w.agent_id)
    FROM waits w WHERE w.room_id = r.room_id) AS waits,
  (SELECT json_array(e.room_id, e.handoff,
      (SELECT v.payload FROM events v WHERE v.room_id = r.room_id AND v.event_seq = r.evidence_seq))
    FROM events e WHERE e.room_id = r.room_id AND e.event_seq = r.handoff_seq) AS handoffs,
  (SELECT group_concat(json_array(${aliases.columns("a")}), char(10) ORDER BY a.old_agent_id)
    FROM members m JOIN aliases a ON ${IS_ALIAS_OF_MEMBER} WHERE m.room_id = r.room_id) AS aliases
  FROM rooms r WHERE r.room_id = ${roomId}`;
}

const COLUMNS = {
  rooms: rooms.names,
  members: () => ["room_id", ...members.names(), "handle"],
  waits: () => ["room_id", ...waits.names()],
  handoffs: () => ["room_id", "handoff", "evidence"],
  aliases: aliases.names,
};

export function readWholeRoom(row: SqlRow): WholeRoom {
  const rowsOf = (table: Table) => rowsIn(row, table);
  const [room] = readRooms({
    rooms: rowsOf("rooms"),
    members: rowsOf("members"),
    waits: rowsOf("waits"),
    handoffs: rowsOf("handoffs"),
  });
  if (!room) throw corrupt("rooms", "is empty");
  return { room, aliases: readAliases(rowsOf("aliases")) };
}

/** Rows by the lines that they were read from, for the tables where most rows stay as they are. */
const known: Readonly<Partial<Record<Table, Map<string, SqlRow>>>> = { members: new Map(), waits: new Map() };
const MOST_KNOWN = 500;

/** A table without rows has no text. */
function rowsIn(row: SqlRow, table: Table): readonly SqlRow[] {
  const lines = nullable(text)(row[table], table);
  return lines === null ? [] : lines.split("\n").map((line) => known[table]?.get(line) ?? newRow(line, table));
}

function newRow(line: string, table: Table): SqlRow {
  let values: readonly unknown[];
  try {
    values = JSON.parse(line) as readonly unknown[];
  } catch (error) {
    // SQLite made this text from its own row; only a damaged file makes it fail.
    throw corrupt(table, "cannot be read", error);
  }
  const row: Record<string, unknown> = {};
  for (const [index, column] of COLUMNS[table]().entries()) row[column] = values[index];
  const rows = known[table];
  if (rows && rows.size >= MOST_KNOWN) rows.clear();
  rows?.set(line, row);
  return row;
}
