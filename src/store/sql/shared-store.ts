/** The methods of a store that are the same on both databases: each is one statement, or one list of them. */
import type { PrunedRoom } from "../../engine/ports/prune-store.ts";
import type { Store } from "../../engine/ports/store.ts";
import { isSameRow, type Session, type SessionKey } from "../../session/rules/session.ts";
import { nullable, whole } from "./codec.ts";
import {
  readAliases,
  selectAlias,
  selectDeparture,
  selectEvents,
  selectEventsBefore,
  selectNote,
  selectNotes,
} from "./load.ts";
import {
  readMessage,
  selectAsks,
  selectDeliveriesOf,
  selectMessages,
  selectReceivers,
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
import { type SqlRow, type Statement, sql } from "./statement.ts";
import { asks, deliveries, notes, readEvent, receivers, sessions } from "./tables.ts";

export interface SqlAccess {
  readonly query: (statement: Statement) => Promise<readonly SqlRow[]>;
  /** Runs the statements in one transaction that reaches the disk. */
  readonly run: (statements: readonly Statement[]) => Promise<void>;
  /** The same for steps that delete: how many rows each one deleted. Null when `room` is in use, and then none ran. */
  readonly prune: (steps: readonly PruneStep[], room?: PrunedRoom) => Promise<readonly number[] | null>;
}

type Different = "kind" | "change" | "readRoom" | "readRooms" | "changeMailbox" | "readMailbox" | "changeSession";
type OfTheDatabase = "compact" | "changeMark" | "isInPlace" | "isUpToDate" | "close";

export function sharedMethods({ query, run, prune }: SqlAccess): Omit<Store, Different | OfTheDatabase> {
  const all = async <T>(statement: Statement, read: (row: SqlRow) => T) => (await query(statement)).map(read);
  const first = async <T>(statement: Statement, read: (row: SqlRow) => T) => (await all(statement, read))[0] ?? null;
  return {
    readEvents: (roomId, afterSeq, limit) => all(selectEvents(roomId, afterSeq, limit), readEvent),
    readEventsBefore: async (roomId, beforeSeq, limit) =>
      (await all(selectEventsBefore(roomId, beforeSeq, limit), readEvent)).toReversed(),
    readDeparture: (roomId, names) => first(selectDeparture(roomId, names), readEvent),
    readNotes: async (roomId, limit, wanted) =>
      (await all(selectNotes(roomId, limit, wanted), notes.read)).toReversed(),
    readNote: (roomId, noteId) => first(selectNote(roomId, noteId), notes.read),

    resolveAlias: async (agentId) => readAliases(await query(selectAlias(agentId))).get(agentId) ?? agentId,
    supersede: (old, agentId) => run(supersede(old, agentId)),
    reclaimName: (agentId) => run([reclaimName(agentId)]),

    readMessages: (ids) => all(selectMessages(ids), readMessage),
    readReceivers: async (agents) =>
      (await all(selectReceivers(agents), (row) => receivers(row["receivers"], "mailboxes.receivers"))).flat(),
    readWaitingAsks: () => all(selectWaitingAsks(null), asks.read),
    readAsks: (ids) => all(selectAsks(ids), asks.read),
    readDeliveries: (messageId) => all(selectDeliveriesOf(messageId), deliveries.read),

    readSessions: (project) => all(sql`${SESSIONS} WHERE project = ${project} ORDER BY agent_id`, sessions.read),
    findSessions: (sessionId) =>
      all(sql`${SESSIONS} WHERE session_id = ${sessionId} ORDER BY project, agent_id`, sessions.read),
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
  };
}

const SESSIONS = sql`SELECT ${sessions.columns()} FROM sessions`;

export function selectSession({ project, agentId }: SessionKey): Statement {
  return sql`${SESSIONS} WHERE project = ${project} AND agent_id = ${agentId}`;
}

/** The session as it is to be stored; null when its row is the same already. */
export function changedSession(
  key: SessionKey,
  [row]: readonly SqlRow[],
  change: (known: Session | null) => Session,
): Session | null {
  const known = row ? sessions.read(row) : null;
  const session = { ...change(known), ...key };
  return known && isSameRow(known, session) ? null : session;
}
