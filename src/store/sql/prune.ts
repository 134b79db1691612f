/**
 * Deleting. The log is append-only with one exception: the history of a room that nobody uses. The room itself stays,
 * with its turn counter, its open notes, the handoff for its next holder, and the messages that may still be read.
 *
 * Agents that are gone are forgotten too: those that are in no room by any of their names, have no mail and no waiting
 * ask, and did not leave a room lately. What was sent under which `msg_id` is never forgotten.
 */
import type { RoomId } from "../../core/ids.ts";
import type { PrunedRoom, RowCounts, RowKind, StoredNames } from "../../engine/ports/prune-store.ts";
import type { SessionKey } from "../../session/rules/session.ts";
import { text, toStoredJson } from "./codec.ts";
import { join, list, raw, rowsBy, type SqlRow, type Statement, sql } from "./statement.ts";
import { agentId as agentIdCodec, roomId as roomIdCodec, sessions as sessionTable } from "./tables.ts";

/** A statement that deletes. Its rows are counted if it has a kind. */
export interface PruneStep extends Statement {
  readonly kind?: RowKind;
}

/** How many events one transaction deletes at most: other changes wait for its end. */
const EVENTS_AT_ONCE = 20_000;
const NAMES_AT_ONCE = 1000;

/** The condition that a delivery in the table of that name may still be read. */
function unfinished(name: string): Statement {
  const table = raw(name);
  return sql`(${table}.state IN ('pending', 'in_flight') OR (${table}.state = 'dead_letter' AND ${table}.purged = 0))`;
}

/** The event of the attached handoff, messages that may still be read, and questions that wait for an answer stay. */
function oldEvents(roomId: RoomId): Statement {
  return sql`events WHERE room_id = ${roomId}
        AND event_seq <> COALESCE((SELECT r.handoff_seq FROM rooms r WHERE r.room_id = ${roomId}), 0)
        AND event_seq <> COALESCE((SELECT r.evidence_seq FROM rooms r WHERE r.room_id = ${roomId}), 0)
        AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.message_id = events.event_id AND ${unfinished("d")})
        AND NOT EXISTS (SELECT 1 FROM asks q WHERE q.request_id = events.event_id AND q.state = 'waiting')`;
}

function oldNotes(roomId: RoomId): Statement {
  return sql`notes WHERE room_id = ${roomId} AND resolved_at IS NOT NULL`;
}

/** The newest number of all stays: the next delivery gets the one after it. */
function oldDeliveries(roomId: RoomId): Statement {
  return sql`deliveries WHERE room_id = ${roomId} AND NOT ${unfinished("deliveries")}
        AND delivery_seq < (SELECT max(n.delivery_seq) FROM deliveries n)
        AND NOT EXISTS (SELECT 1 FROM deliveries o WHERE o.message_id = deliveries.message_id AND ${unfinished("o")})
        AND NOT EXISTS (SELECT 1 FROM asks q WHERE q.request_id = deliveries.message_id AND q.state = 'waiting')`;
}

export function countPrunable(roomId: RoomId): Statement {
  const old = [oldEvents(roomId), oldNotes(roomId), oldDeliveries(roomId)];
  const counts = old.map((rows) => sql`(SELECT count(*) FROM ${rows})`);
  return sql`SELECT ${join(counts, " + ")} AS total`;
}

/** One row if the room is free and nothing happened in it since `lastSeq`. */
export function prunable({ roomId, lastSeq }: PrunedRoom): Statement {
  return sql`SELECT r.room_id FROM rooms r
    WHERE r.room_id = ${roomId} AND r.last_seq = ${lastSeq} AND r.status IN ('idle', 'closed')`;
}

export function selectOldestEvent(roomId: RoomId): Statement {
  return sql`SELECT min(event_seq) AS oldest FROM events WHERE room_id = ${roomId}`;
}

/** The steps of each transaction. Before them, `prunable` must find the room as it was. */
export function pruneSteps(room: PrunedRoom, oldestSeq: number | null): readonly (readonly PruneStep[])[] {
  const { roomId, lastSeq } = room;
  const parts: (readonly PruneStep[])[] = [];
  for (let upTo = (oldestSeq ?? lastSeq) + EVENTS_AT_ONCE; upTo < lastSeq; upTo += EVENTS_AT_ONCE)
    parts.push(pruneEvents(roomId, upTo));
  return [...parts, [...pruneEvents(roomId, lastSeq), ...pruneRest(room)]];
}

function pruneEvents(roomId: RoomId, upTo: number): readonly PruneStep[] {
  return [
    sql`INSERT INTO pruning (room_id) VALUES (${roomId})`,
    { ...sql`DELETE FROM ${oldEvents(roomId)} AND event_seq <= ${upTo}`, kind: "events" },
    sql`DELETE FROM pruning WHERE room_id = ${roomId}`,
  ];
}

function pruneRest({ roomId, gone, mayGo }: PrunedRoom): readonly PruneStep[] {
  return [
    { ...sql`DELETE FROM ${oldNotes(roomId)}`, kind: "notes" },
    { ...sql`DELETE FROM ${oldDeliveries(roomId)}`, kind: "deliveries" },
    ...inParts(gone).flatMap((names): PruneStep[] => [
      sql`DELETE FROM waits WHERE room_id = ${roomId} AND agent_id IN (${list(names)})`,
      { ...sql`DELETE FROM members WHERE room_id = ${roomId} AND agent_id IN (${list(names)})`, kind: "members" },
    ]),
    ...(mayGo ? [deleteRoom(roomId)] : []),
  ];
}

/** A room that was never held, and of which nothing is left, goes too. */
function deleteRoom(roomId: RoomId): PruneStep {
  const isEmpty = ["members", "events", "notes", "deliveries"].map(
    (table) => sql`NOT EXISTS (SELECT 1 FROM ${raw(table)} t WHERE t.room_id = rooms.room_id)`,
  );
  const statement = sql`DELETE FROM rooms WHERE room_id = ${roomId} AND turn_id = 0 AND status = 'idle'
    AND handoff_seq IS NULL AND ${join(isEmpty, " AND ")}`;
  return { ...statement, kind: "rooms" };
}

function inParts<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / NAMES_AT_ONCE);
  return Array.from({ length: count }, (_, part) => items.slice(part * NAMES_AT_ONCE, (part + 1) * NAMES_AT_ONCE));
}

/** A member that left because it had been away for long was gone long before. */
const EXPIRED = `${toStoredJson({ reason: "expired" }).slice(0, -1)}%`;
const DEPARTED = sql`(CASE e.event_type WHEN 'kick' THEN e.to_agent_id ELSE e.from_agent_id END)`;

/** The condition that the agent in this column is gone and left no room since then. */
function isGone(column: string, since: string): Statement {
  const agent = raw(column);
  return sql`NOT EXISTS (SELECT 1 FROM members m WHERE m.agent_id = ${agent})
      AND NOT EXISTS (SELECT 1 FROM aliases f JOIN members m ON m.agent_id = f.old_agent_id WHERE f.agent_id = ${agent})
      AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.recipient = ${agent})
      AND NOT EXISTS (SELECT 1 FROM asks q WHERE q.state = 'waiting' AND q.asker = ${agent})
      AND ${agent} NOT IN (SELECT ${DEPARTED} FROM events e
        WHERE e.event_type IN ('member_left', 'kick') AND e.created_at > ${since} AND ${DEPARTED} IS NOT NULL
        AND e.payload NOT LIKE ${EXPIRED})`;
}

export function selectGoneSessions(since: string): Statement {
  return sql`SELECT ${sessionTable.columns()} FROM sessions WHERE ${isGone("sessions.agent_id", since)}
    ORDER BY project, agent_id`;
}

/** Run inside one transaction, in this order: an agent that has a session, a mailbox or a handle left is not forgotten. */
export function forgetGone(since: string, sessions: readonly SessionKey[]): readonly PruneStep[] {
  const isForgotten = (column: string) => sql`${isGone(column, since)}
      AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.agent_id = ${raw(column)})`;
  const idleMailboxes = sql`DELETE FROM mailboxes WHERE receivers = '[]' AND pending = 0 AND in_flight = 0
      AND ${isForgotten("mailboxes.agent_id")}`;
  return [
    ...inParts(sessions).map((part): PruneStep => {
      const keys = join(
        part.map(({ project, agentId }) => sql`(${project}, ${agentId})`),
        ", ",
      );
      const isNamed = sql`(project, agent_id) IN (VALUES ${keys})`;
      return {
        ...sql`DELETE FROM sessions WHERE ${isGone("sessions.agent_id", since)} AND ${isNamed}`,
        kind: "sessions",
      };
    }),
    {
      ...sql`DELETE FROM asks WHERE state <> 'waiting'
        AND NOT EXISTS (SELECT 1 FROM events e WHERE e.event_id = asks.request_id) AND ${isGone("asks.asker", since)}`,
      kind: "asks",
    },
    // A store may have created a row for an agent that never got mail. Such a row is not counted as a mailbox.
    sql`${idleMailboxes} AND acked + dead_letter + expired = 0`,
    { ...idleMailboxes, kind: "mailboxes" },
    { ...sql`DELETE FROM handles WHERE ${isForgotten("handles.agent_id")}`, kind: "handles" },
    {
      ...sql`DELETE FROM aliases WHERE ${isForgotten("aliases.agent_id")}
        AND NOT EXISTS (SELECT 1 FROM mailboxes b WHERE b.agent_id = aliases.agent_id)
        AND NOT EXISTS (SELECT 1 FROM handles h WHERE h.agent_id = aliases.agent_id)
        AND NOT EXISTS (SELECT 1 FROM sent w WHERE w.sender = aliases.agent_id)`,
      kind: "aliases",
    },
  ];
}

/** How many rows of each kind the steps deleted, each given with the number of its rows. */
export function countedByKind(done: readonly (readonly [step: PruneStep, rows: number])[]): RowCounts {
  const counts: Partial<Record<RowKind, number>> = {};
  for (const [{ kind }, rows] of done) if (kind !== undefined && rows > 0) counts[kind] = (counts[kind] ?? 0) + rows;
  return counts;
}

/** Every agent, session and membership that the store has a name for. */
export const SELECT_NAMES = sql`SELECT 'member' AS kind, agent_id AS name, room_id FROM members
    UNION ALL SELECT 'agent', a.agent_id, NULL FROM (SELECT agent_id FROM members UNION SELECT agent_id FROM mailboxes
      UNION SELECT agent_id FROM handles UNION SELECT agent_id FROM sessions) a
    UNION ALL SELECT 'session', s.session_id, NULL FROM (SELECT session_id FROM sessions
      UNION SELECT session_id FROM members) s WHERE s.session_id IS NOT NULL`;

export function readNames(rows: readonly SqlRow[]): StoredNames {
  const byKind = rowsBy("kind", rows);
  const named = <T>(kind: string, read: (name: unknown, row: SqlRow) => T) =>
    (byKind.get(kind) ?? []).map((row) => read(row["name"], row));
  return {
    agents: named("agent", (name) => agentIdCodec(name, "members.agent_id")),
    sessionIds: named("session", (name) => text(name, "sessions.session_id")),
    members: named("member", (name, row) => ({
      agentId: agentIdCodec(name, "members.agent_id"),
      roomId: roomIdCodec(row["room_id"], "members.room_id"),
    })),
  };
}
