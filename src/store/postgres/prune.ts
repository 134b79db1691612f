/** Forgetting on PostgreSQL; see ports/prune-store.ts for the promises. */
import type { SessionKey } from "../../domain/session/session.ts";
import type { PrunedRoom, RowCounts, StoredNames } from "../../ports/prune-store.ts";
import { nullable, whole } from "../sql/decode.ts";
import { forgetGone, SELECT_AGENTS, SELECT_MEMBERSHIPS, SELECT_SESSION_IDS } from "../sql/forget-gone.ts";
import { type PruneStep, partsOf, prunable, pruneEvents, pruneRest, selectSpan } from "../sql/prune.ts";
import { readNames as readNameRows, Tally } from "../sql/prune-rows.ts";
import { COMMIT } from "./connection.ts";
import type { Database } from "./database.ts";
import { readTogether, rowsOfEach } from "./together.ts";
import { BEGIN, withRetry } from "./transaction.ts";

export async function prune(database: Database, room: PrunedRoom): Promise<RowCounts | null> {
  const [span] = await database.query(selectSpan(room.roomId));
  const parts = partsOf(nullable(whole)(span?.["oldest"] ?? null, "events.event_seq"), room.lastSeq);
  const tally = new Tally();
  for (const [index, upTo] of parts.entries()) {
    const rest = index === parts.length - 1 ? pruneRest(room) : [];
    const done = await write(database, tally, [...pruneEvents(room.roomId, upTo), ...rest], room);
    if (!done) return index === 0 ? null : tally.counts;
  }
  return tally.counts;
}

export async function forget(database: Database, since: string, sessions: readonly SessionKey[]): Promise<RowCounts> {
  const tally = new Tally();
  await write(database, tally, forgetGone(since, sessions));
  return tally.counts;
}

export async function readNames(database: Database): Promise<StoredNames> {
  const selects = [SELECT_AGENTS, SELECT_SESSION_IDS, SELECT_MEMBERSHIPS];
  const answers = rowsOfEach(await database.query(readTogether(selects)), selects.length);
  const [agents = [], sessionIds = [], members = []] = answers;
  return readNameRows({ agents, sessionIds, members });
}

/** False when the room is in use. */
function write(database: Database, tally: Tally, steps: readonly PruneStep[], room?: PrunedRoom): Promise<boolean> {
  return withRetry(database, async (session) => {
    const check = room && prunable(room);
    const [, found] = await session.send([BEGIN, ...(check ? [{ ...check, sql: `${check.sql} FOR UPDATE` }] : [])]);
    if (check && found?.length === 0) {
      await session.rollback();
      return false;
    }
    const answers = await session.send([...steps, COMMIT]);
    for (const [index, { kind }] of steps.entries()) tally.add(kind, countOf(answers[index]));
    return true;
  });
}

/** The driver tells with the rows how many of them a statement touched. */
function countOf(answer: unknown): number {
  const { count } = (answer ?? {}) as { readonly count?: unknown };
  return typeof count === "number" ? count : 0;
}
