/**
 * The one exception to the append-only log: forgetting the history of a room that nobody uses. The room itself
 * stays, with its turn counter, its open notes, the handoff that its next holder would be given, and the messages that
 * somebody may still read.
 */
import type { RoomId } from "../../domain/ids.ts";
import { deleteFrom, insertInto, type Statement } from "./statement.ts";

/** Run inside one transaction, after `prunable` found the room as it was seen. */
export function pruneHistory(roomId: RoomId): readonly Statement[] {
  return [
    insertInto("pruning", { room_id: roomId }),
    {
      sql: `DELETE FROM events WHERE room_id = ? AND event_seq <> COALESCE(
        (SELECT r.handoff_seq FROM rooms r WHERE r.room_id = ?), 0)
        AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.message_id = events.event_id AND d.purged = 0
          AND d.state IN ('pending', 'in_flight', 'dead_letter'))`,
      params: [roomId, roomId],
    },
    { sql: "DELETE FROM notes WHERE room_id = ? AND resolved_at IS NOT NULL", params: [roomId] },
    deleteFrom("pruning", { room_id: roomId }),
  ];
}

/** One row if the room is free and nothing happened in it since `lastSeq`. */
export function prunable(roomId: RoomId, lastSeq: number): Statement {
  return {
    sql: "SELECT r.room_id FROM rooms r WHERE r.room_id = ? AND r.last_seq = ? AND r.status IN ('idle', 'closed')",
    params: [roomId, lastSeq],
  };
}
