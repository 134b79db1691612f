/** The methods of a store that are the same on both databases: each is one statement, or one list of them. */

import type { Moment } from "../../core/time.ts";
import type { PrunedRoom } from "../../engine/ports/prune-store.ts";
import type { SessionChange, Store } from "../../engine/ports/store.ts";
import { isSameRow, type Session, type SessionKey } from "../../session/rules/session.ts";
import { nullable, text, whole } from "./codec.ts";
import { readAliases, selectDeparture, selectHandles, selectIds, selectNote, selectNotes } from "./load.ts";
import {
  deliveriesWhere,
  presentName,
  readMessage,
  readName,
  selectMessages,
  selectUnansweredAsks,
  selectWaitingAsks,
} from "./mail-load.ts";
import {
  countedByKind,
  countPrunable,
  forgetGone,
  type PruneStep,
  pruneSteps,
  readNames,
  SELECT_NAMES,
  selectGoneSessions,
  selectOldestEvent,
} from "./prune.ts";
import { reclaimName, supersede } from "./save.ts";
import { limit, list, type SqlRow, type Statement, sql } from "./statement.ts";
import { aliases, asks, deliveries, events, handles, mailboxes, notes, readEvent, sessions } from "./tables.ts";

export interface SqlAccess {
  readonly query: (statement: Statement) => Promise<readonly SqlRow[]>;
  /** Runs the statements in one transaction that reaches the disk. */
  readonly run: (statements: readonly Statement[]) => Promise<void>;
  /** The same for steps that delete: how many rows each one deleted. Null when `room` is in use, and then none ran. */
  readonly prune: (steps: readonly PruneStep[], room?: PrunedRoom) => Promise<readonly number[] | null>;
}

export function sharedMethods({ query, run, prune }: SqlAccess) {
  const all = async <T>(statement: Statement, read: (row: SqlRow) => T) => (await query(statement)).map(read);
  const first = async <T>(statement: Statement, read: (row: SqlRow) => T) => (await all(statement, read))[0] ?? null;
  return {
    readEvents: (roomId, afterSeq, rows) =>
      all(
        sql`SELECT ${events.columns()} FROM events WHERE room_id = ${roomId} AND event_seq > ${afterSeq} ORDER BY event_seq ${limit(rows)}`,
        readEvent,
      ),
    async readEventsBefore(roomId, beforeSeq, rows) {
      const before = sql`SELECT ${events.columns()} FROM events WHERE room_id = ${roomId} AND event_seq < ${beforeSeq}`;
      return (await all(sql`${before} ORDER BY event_seq DESC ${limit(rows)}`, readEvent)).toReversed();
    },
    readDeparture: (roomId, names) => first(selectDeparture(roomId, names), readEvent),
    readNotes: async (roomId, rows, wanted) => (await all(selectNotes(roomId, rows, wanted), notes.read)).toReversed(),
    async countOpenNotes(roomId) {
      const open = sql`SELECT count(*) AS total FROM notes WHERE room_id = ${roomId} AND resolved_at IS NULL`;
      return whole((await query(open))[0]?.["total"], "the count");
    },
    readNote: (roomId, noteId) => first(selectNote(roomId, noteId), notes.read),
    readIds: (wanted, prefix, rows) => all(selectIds(wanted, prefix, rows), ({ id }) => text(id, "id")),

    readAliases: async (names) =>
      readAliases(await query(sql`SELECT ${aliases.columns()} FROM aliases WHERE old_agent_id IN (${list(names)})`)),
    readHandles: (project) => all(selectHandles(project), handles.read),
    resolveAlias: async (agentId) => readName(await query(presentName(agentId))),
    supersede: (old, agentId) => run(supersede(old, agentId)),
    reclaimName: (agentId) => run([reclaimName(agentId)]),

    readMessages: (ids) => all(selectMessages(ids), readMessage),
    async readReceivers(agents) {
      const presentNames = sql`SELECT a.agent_id FROM aliases a WHERE a.old_agent_id IN (${list(agents)})`;
      const boxes = sql`SELECT ${mailboxes.columns()} FROM mailboxes WHERE receivers <> '[]'
        AND (agent_id IN (${list(agents)}) OR agent_id IN (${presentNames})) ORDER BY agent_id`;
      return (await all(boxes, mailboxes.read)).flatMap(({ receivers }) => receivers);
    },
    readWaitingAsks: () => all(selectWaitingAsks(null), asks.read),
    readAsks: (ids) => all(sql`SELECT ${asks.columns()} FROM asks WHERE request_id IN (${list(ids)})`, asks.read),
    readUnansweredAsks: async (peer, rows) =>
      (await all(selectUnansweredAsks(presentName(peer), rows), asks.read)).toReversed(),
    readDeliveries: (messageIds) => all(deliveriesWhere(sql`d.message_id IN (${list(messageIds)})`), deliveries.read),

    readSessions: (project) =>
      all(sql`SELECT ${sessions.columns()} FROM sessions WHERE project = ${project} ORDER BY agent_id`, sessions.read),
    findSessions: (sessionId) =>
      all(
        sql`SELECT ${sessions.columns()} FROM sessions WHERE session_id = ${sessionId} ORDER BY project, agent_id`,
        sessions.read,
      ),
    readGoneSessions: (since) => all(selectGoneSessions(since), sessions.read),

    countPrunable: async (roomId) => whole((await query(countPrunable(roomId)))[0]?.["total"], "the count"),
    async prune(room) {
      const [row] = await query(selectOldestEvent(room.roomId));
      const oldestSeq = nullable(whole)(row?.["oldest"] ?? null, "events.event_seq");
      const done: (readonly [PruneStep, number])[] = [];
      for (const steps of pruneSteps(room, oldestSeq)) {
        const deleted = await prune(steps, room);
        if (deleted === null) return done.length === 0 ? null : countedByKind(done);
        done.push(...steps.map((step, index) => [step, deleted[index] ?? 0] as const));
      }
      return countedByKind(done);
    },
    async forgetGone(since, keys) {
      const steps = forgetGone(since, keys);
      const deleted = (await prune(steps)) ?? [];
      return countedByKind(steps.map((step, index) => [step, deleted[index] ?? 0]));
    },
    readNames: async () => readNames(await query(SELECT_NAMES)),
  } satisfies Partial<Store>;
}

export function selectSession({ project, agentId }: SessionKey): Statement {
  return sql`SELECT ${sessions.columns()} FROM sessions WHERE project = ${project} AND agent_id = ${agentId}`;
}

/** The session to store; null when its row is the same already. */
export function changedSession(
  key: SessionKey,
  [row]: readonly SqlRow[],
  change: SessionChange,
  now: () => Moment,
): Session | null {
  const known = row ? sessions.read(row) : null;
  const session = { ...change(known, now), ...key };
  return known && isSameRow(known, session) ? null : session;
}
