/**
 * Transactions on one connection, and waiting while another process writes.
 *
 * A transaction is one synchronous run from BEGIN to COMMIT. It awaits nothing, so transactions of one process never
 * overlap on a connection and a slow caller cannot hold the lock. A process waits for the lock between attempts: first in
 * naps of a fraction of a millisecond, which are shorter than any timer and about as long as most locks are held, then on
 * timers. SQLite's own busy handler would block the event loop for long and starve writers.
 */

import { Fault } from "../../core/fault.ts";
import { invariant } from "../../core/invariant.ts";
import type { SqliteConnection } from "./connection.ts";
import { storeFault } from "./faults.ts";

export interface Patience {
  /** How long to try before the store counts as busy. */
  readonly budgetMs: number;
  /** Random numbers from 0 to 1, so that waiting processes do not retry in step. */
  readonly jitter: () => number;
  /** The processes that hold the file's lock, for the fault's facts. */
  readonly lockHolders?: ((file: string) => readonly number[]) | undefined;
}

/** A lock that is held for one commit is free again after a few of these. They block the event loop. */
const NAPS = 8;
const NAP_MS = 0.08;

/**
 * Pauses are short at first, because most locks are held for less than a millisecond. Then they are long, so that many
 * waiting processes leave the processor to the writer. Then they shrink with the time waited: the process that waits
 * longest tries most often, and none starves.
 */
const EAGER_TRIES = 5;
const EAGER_GROWTH = 1.5;
const LONGEST_PAUSE_MS = 40;
const SHORTEST_PAUSE_MS = 2;
const IMPATIENT_AFTER_MS = 1000;

/** `work` returns this to roll its transaction back. */
export const UNDONE = Symbol("undone");

/** For a change that waits for the disk, which is never undone. */
export function onlyDone<T>(result: T | typeof UNDONE): T {
  invariant(result !== UNDONE, "a change that waits for the disk is never undone");
  return result;
}

export function writeTransaction<T>(connection: SqliteConnection, work: () => T): T {
  return transaction(connection, "BEGIN IMMEDIATE", () => {
    const result = work();
    // As late as possible: a commit into files that no other process uses would be lost.
    connection.assertFilesInTransaction();
    return result;
  });
}

/** `work` sees one state of the store. */
export function readTransaction<T>(connection: SqliteConnection, work: () => T): T {
  return transaction(connection, "BEGIN DEFERRED", work);
}

function transaction<T>(connection: SqliteConnection, begin: string, work: () => T): T {
  connection.run({ sql: begin, params: [] });
  try {
    const result = work();
    // A failure matters here: the transaction would stay open.
    if (result === UNDONE) connection.run({ sql: "ROLLBACK", params: [] });
    else connection.commit();
    return result;
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

/** Repeats an attempt that met another process's lock. It must leave nothing behind when it throws. */
export async function whileBusy<T>(connection: SqliteConnection, patience: Patience, work: () => T): Promise<T> {
  const attempt = (): T => {
    connection.assertFiles();
    return work();
  };
  const first = tryOnce(attempt);
  if ("done" in first) return first.done;
  for (let naps = 0; naps < NAPS; naps += 1) {
    nap((0.5 + patience.jitter()) * NAP_MS);
    // All naps together are so short that the files need no second check.
    const next = tryOnce(work);
    if ("done" in next) return next.done;
  }
  let expired = false;
  const budget = setTimeout(() => {
    expired = true;
  }, patience.budgetMs);
  let waitedMs = 0;
  try {
    for (let tries = 0; ; tries += 1) {
      waitedMs += await pause(patience, tries, waitedMs);
      const next = tryOnce(attempt);
      if ("done" in next) return next.done;
      if (expired) throw busyFault(connection, patience, next.busy);
    }
  } finally {
    clearTimeout(budget);
  }
}

const alarm = new Int32Array(new SharedArrayBuffer(4));

/** Sleeps for a fraction of a millisecond; timers take a whole one at least. It blocks the event loop. */
export function nap(ms: number): void {
  Atomics.wait(alarm, 0, 0, ms);
}

function tryOnce<T>(attempt: () => T): { readonly done: T } | { readonly busy: Fault } {
  try {
    return { done: attempt() };
  } catch (error) {
    if (error instanceof Fault && error.code === "store_busy") return { busy: error };
    throw error;
  }
}

/** Resolves with the length of the pause. */
function pause({ jitter }: Patience, tries: number, waitedMs: number): Promise<number> {
  const aging = Math.max(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS * (1 - waitedMs / IMPATIENT_AFTER_MS));
  const longestMs = tries < EAGER_TRIES ? EAGER_GROWTH ** tries : aging;
  const ms = (0.1 + 0.9 * jitter()) * longestMs;
  return new Promise((resolve) => {
    setTimeout(() => resolve(ms), ms);
  });
}

function busyFault({ file }: SqliteConnection, { budgetMs, lockHolders }: Patience, cause: Fault): Fault {
  const holders = lockHolders?.(file);
  return storeFault("store_busy", `Another process has been writing to the store for ${budgetMs} ms.`, {
    facts: { file, waited_ms: budgetMs, ...(holders && { holder_pids: holders }) },
    cause,
  });
}
