/**
 * A room with all that belongs to it, in one statement: every change begins with it, and several statements take
 * several times as long. The rows of each table come as one JSON text, because the driver makes an object of every
 * row value by value, which is slower than parsing. What the values mean is read-rows.ts's business as ever.
 */
import type { RoomId } from "../../domain/ids.ts";
import type { Room } from "../../domain/room/room.ts";
import type { Aliases } from "../../domain/session/alias.ts";
import { corrupt, text } from "../sql/decode.ts";
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

const SELECT = `SELECT json_array(json_array(${columnsOf("r", ROOM_COLUMNS)})) AS rooms,
  (SELECT json_group_array(json_array(${columnsOf("m", MEMBER_COLUMNS)}, ${MEMBER_HANDLE}) ORDER BY m.joined_seq, m.agent_id)
    FROM members m ${JOIN_HANDLES} WHERE m.room_id = r.room_id) AS members,
  (SELECT json_group_array(json_array(${columnsOf("w", WAIT_COLUMNS)}) ORDER BY w.since_at, w.agent_id)
    FROM waits w WHERE w.room_id = r.room_id) AS waits,
  (SELECT json_group_array(json_array(${columnsOf("e", HANDOFF_COLUMNS)}))
    FROM events e WHERE e.room_id = r.room_id AND e.event_seq = r.handoff_seq) AS handoffs,
  (SELECT json_group_array(json_array(${columnsOf("a", ALIAS_COLUMNS)}) ORDER BY a.old_agent_id)
    FROM members m JOIN aliases a ON a.agent_id = m.agent_id WHERE m.room_id = r.room_id) AS aliases
  FROM rooms r WHERE r.room_id = ?`;

export function selectWholeRoom(roomId: RoomId): Statement {
  return { sql: SELECT, params: [roomId] };
}

export function readWholeRoom(row: SqlRow): WholeRoom {
  const [room] = readRooms({
    rooms: rowsOf(row, "rooms", ROOM_COLUMNS),
    members: rowsOf(row, "members", [...MEMBER_COLUMNS, "handle"]),
    waits: rowsOf(row, "waits", WAIT_COLUMNS),
    handoffs: rowsOf(row, "handoffs", HANDOFF_COLUMNS),
  });
  if (!room) throw corrupt("rooms", "is empty");
  return { room, aliases: readAliases(rowsOf(row, "aliases", ALIAS_COLUMNS)) };
}

function rowsOf(row: SqlRow, table: string, columns: readonly string[]): readonly SqlRow[] {
  return parsed(text(row[table], table), table).map((values) => {
    const named: Record<string, unknown> = {};
    for (const [index, column] of columns.entries()) named[column] = values[index];
    return named;
  });
}

/** SQLite made this text of its own rows; only a damaged file makes it fail. */
function parsed(json: string, table: string): readonly (readonly unknown[])[] {
  try {
    return JSON.parse(json) as readonly (readonly unknown[])[];
  } catch (error) {
    throw corrupt(table, "cannot be read", error);
  }
}
