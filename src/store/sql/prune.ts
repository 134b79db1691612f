/**
 * The one exception to the append-only log: forgetting the history of a room that nobody uses. The room itself
 * stays, with its turn counter, its open notes, the handoff that its next holder would be given, and the messages that
 * somebody may still read.
 */
import type { RoomId } from "../../core/ids.ts";
import type { PrunedRoom, RowKind } from "../../engine/ports/prune-store.ts";
import { deleteFrom, insertInto, marks, type Statement } from "./statement.ts";

/** A statement whose deleted rows are counted, if it is of a kind. */
export interface PruneStep extends Statement {
  readonly kind?: RowKind;
}

/** How many events one transaction deletes at most: others wait for its end. */
const EVENTS_AT_ONCE = 20_000;
const NAMES_AT_ONCE = 1000;

/** A delivery that somebody may still read, in the table of that name. */
function unfinished(table: string): string {
  return `(${table}.state IN ('pending', 'in_flight') OR (${table}.state = 'dead_letter' AND ${table}.purged = 0))`;
}

/** The event of the attached handoff, messages that may still be read, and questions that wait for an answer stay. */
const OLD_EVENTS = `events WHERE room_id = ?
        AND event_seq <> COALESCE((SELECT r.handoff_seq FROM rooms r WHERE r.room_id = ?), 0)
        AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.message_id = events.event_id AND ${unfinished("d")})
        AND NOT EXISTS (SELECT 1 FROM asks q WHERE q.request_id = events.event_id AND q.state = 'waiting')`;

const OLD_NOTES = "notes WHERE room_id = ? AND resolved_at IS NOT NULL";

/** The newest number of all stays: the next delivery is given the one after it. */
const OLD_DELIVERIES = `deliveries WHERE room_id = ? AND NOT ${unfinished("deliveries")}
        AND delivery_seq < (SELECT max(n.delivery_seq) FROM deliveries n)
        AND NOT EXISTS (SELECT 1 FROM deliveries o WHERE o.message_id = deliveries.message_id AND ${unfinished("o")})
        AND NOT EXISTS (SELECT 1 FROM asks q WHERE q.request_id = deliveries.message_id AND q.state = 'waiting')`;

/** The numbers of the events that are left, to be deleted a part at a time. */
export function selectSpan(roomId: RoomId): Statement {
  return { sql: "SELECT min(event_seq) AS oldest FROM events WHERE room_id = ?", params: [roomId] };
}

/** Run inside one transaction, after `prunable` found the room as it was seen. */
export function pruneEvents(roomId: RoomId, upTo: number): readonly PruneStep[] {
  return [
    insertInto("pruning", { room_id: roomId }),
    { sql: `DELETE FROM ${OLD_EVENTS} AND event_seq <= ?`, params: [roomId, roomId, upTo], kind: "events" },
    deleteFrom("pruning", { room_id: roomId }),
  ];
}

/** The rest, in the transaction that deletes the last of the events. */
export function pruneRest({ roomId, gone, mayGo }: PrunedRoom): readonly PruneStep[] {
  return [
    { sql: `DELETE FROM ${OLD_NOTES}`, params: [roomId], kind: "notes" },
    { sql: `DELETE FROM ${OLD_DELIVERIES}`, params: [roomId], kind: "deliveries" },
    ...inParts(gone).flatMap((names): PruneStep[] => [
      { sql: `DELETE FROM waits WHERE room_id = ? AND agent_id IN (${marks(names)})`, params: [roomId, ...names] },
      {
        sql: `DELETE FROM members WHERE room_id = ? AND agent_id IN (${marks(names)})`,
        params: [roomId, ...names],
        kind: "members",
      },
    ]),
    ...(mayGo ? [deleteRoom(roomId)] : []),
  ];
}

/** A room that was never held, and of which nothing is left, is as good as none. */
function deleteRoom(roomId: RoomId): PruneStep {
  const isEmpty = ["members", "events", "notes", "deliveries"]
    .map((table) => `NOT EXISTS (SELECT 1 FROM ${table} t WHERE t.room_id = rooms.room_id)`)
    .join(" AND ");
  return {
    sql: `DELETE FROM rooms WHERE room_id = ? AND turn_id = 0 AND status = 'idle' AND handoff_seq IS NULL AND ${isEmpty}`,
    params: [roomId],
    kind: "rooms",
  };
}

export function countPrunable(roomId: RoomId): Statement {
  const counts = [OLD_EVENTS, OLD_NOTES, OLD_DELIVERIES].map((what) => `(SELECT count(*) FROM ${what})`);
  return {
    sql: `SELECT ${counts.join(" + ")} AS total`,
    params: [roomId, roomId, roomId, roomId],
  };
}

/** One row if the room is free and nothing happened in it since `lastSeq`. */
export function prunable({ roomId, lastSeq }: PrunedRoom): Statement {
  return {
    sql: "SELECT r.room_id FROM rooms r WHERE r.room_id = ? AND r.last_seq = ? AND r.status IN ('idle', 'closed')",
    params: [roomId, lastSeq],
  };
}

export function inParts<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const parts: (readonly Item[])[] = [];
  for (let from = 0; from < items.length; from += NAMES_AT_ONCE) parts.push(items.slice(from, from + NAMES_AT_ONCE));
  return parts;
}

/** The highest number of each transaction's part of the events. */
export function partsOf(oldest: number | null, lastSeq: number): readonly number[] {
  const parts: number[] = [];
  for (let upTo = (oldest ?? lastSeq) + EVENTS_AT_ONCE; upTo < lastSeq; upTo += EVENTS_AT_ONCE) parts.push(upTo);
  return [...parts, lastSeq];
}
