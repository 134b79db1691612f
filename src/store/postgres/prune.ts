/** Forgetting on PostgreSQL; see engine/ports/prune-store.ts for the promises. */

import type { PrunedRoom, RowCounts, StoredNames } from "../../engine/ports/prune-store.ts";
import type { SessionKey } from "../../session/rules/session.ts";
import { nullable, whole } from "../sql/decode.ts";
import { forgetGone, SELECT_AGENTS, SELECT_MEMBERSHIPS, SELECT_SESSION_IDS } from "../sql/forget-gone.ts";
import { type PruneStep, partsOf, prunable, pruneEvents, pruneRest, selectSpan } from "../sql/prune.ts";
import { readNames as readNameRows, Tally } from "../sql/prune-rows.ts";
import type { Statement } from "../sql/statement.ts";
import { COMMIT } from "./connection.ts";
import type { Schema } from "./schema.ts";
import { readTogether, rowsOfEach } from "./together.ts";

export async function prune(schema: Schema, room: PrunedRoom): Promise<RowCounts | null> {
  const [span] = await schema.query(selectSpan(room.roomId));
  const parts = partsOf(nullable(whole)(span?.["oldest"] ?? null, "events.event_seq"), room.lastSeq);
  const tally = new Tally();
  for (const [index, upTo] of parts.entries()) {
    const rest = index === parts.length - 1 ? pruneRest(room) : [];
    const done = await write(schema, tally, [...pruneEvents(room.roomId, upTo), ...rest], room);
    if (!done) return index === 0 ? null : tally.counts;
  }
  return tally.counts;
}

export async function forget(schema: Schema, since: string, sessions: readonly SessionKey[]): Promise<RowCounts> {
  const tally = new Tally();
  await write(schema, tally, forgetGone(since, sessions));
  return tally.counts;
}

export async function readNames(schema: Schema): Promise<StoredNames> {
  const selects = [SELECT_AGENTS, SELECT_SESSION_IDS, SELECT_MEMBERSHIPS];
  const answers = rowsOfEach(await schema.query(readTogether(selects)), selects.length);
  const [agents = [], sessionIds = [], members = []] = answers;
  return readNameRows({ agents, sessionIds, members });
}

/** A session that joins meanwhile takes up its old handle under this lock, so none is deleted under it. */
const LOCK_ALL_HANDLES: Statement = {
  sql: `SELECT pg_advisory_xact_lock(hashtextextended('talking-stick handles of ' || p.project, 0))
    FROM (SELECT DISTINCT project FROM handles ORDER BY project) p`,
  params: [],
};

/** False when the room is in use. */
function write(schema: Schema, tally: Tally, steps: readonly PruneStep[], room?: PrunedRoom): Promise<boolean> {
  return schema.change(async (session) => {
    const check = room && prunable(room);
    const [found] = await session.begin([check ? { ...check, sql: `${check.sql} FOR UPDATE` } : LOCK_ALL_HANDLES]);
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
