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
import { type Patience, pauseMs, TimeForLock } from "./patience.ts";

/** A lock that is held for one commit is free again after one or two of these. They block the event loop. */
const NAPS = 2;
const NAP_MS = 0.08;

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
  connection.begin(begin);
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
  const time = new TimeForLock(connection, patience);
  let waitedMs = 0;
  try {
    for (let tries = 0; ; tries += 1) {
      const ms = pauseMs(patience, tries, waitedMs);
      await pause(ms);
      waitedMs += ms;
      const next = tryOnce(attempt);
      if ("done" in next) return next.done;
      if (time.isOver({ tries, waitedMs })) throw busyFault(connection, patience, time.spentMs, next.busy);
    }
  } finally {
    time.end();
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

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function busyFault({ file }: SqliteConnection, { lockHolders }: Patience, waitedMs: number, cause: Fault): Fault {
  const holders = lockHolders?.(file);
  return storeFault("store_busy", `The store was locked by other processes for ${waitedMs} ms.`, {
    facts: { file, waited_ms: waitedMs, ...(holders && { holder_pids: holders }) },
    cause,
  });
}
