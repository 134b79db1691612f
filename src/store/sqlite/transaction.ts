/**
 * Transactions on one connection, and patience while another process writes.
 *
 * A transaction is one synchronous run from BEGIN to COMMIT: nothing is awaited inside, so transactions of one
 * process never overlap on a connection and a slow caller cannot hold the lock. Waiting for the lock happens
 * between attempts, on timers: SQLite's own busy handler blocks the event loop and starves writers.
 */
import { Fault } from "../../ports/fault.ts";
import type { Connection } from "./connection.ts";
import { storeFault } from "./faults.ts";

export interface Patience {
  /** How long to try before the store counts as busy. */
  readonly budgetMs: number;
  /** Random numbers from 0 to 1, so that waiting processes do not march in step. */
  readonly jitter: () => number;
  /** The processes that hold the file's lock, for the fault's facts. */
  readonly lockHolders?: ((file: string) => readonly number[]) | undefined;
}

const MIN_PAUSE_MS = 0.5;
const MAX_PAUSE_MS = 2;

export function writeTransaction<T>(connection: Connection, work: () => T): T {
  return transaction(connection, "BEGIN IMMEDIATE", work);
}

/** What `work` reads is one state of the store. */
export function readTransaction<T>(connection: Connection, work: () => T): T {
  return transaction(connection, "BEGIN DEFERRED", work);
}

function transaction<T>(connection: Connection, begin: string, work: () => T): T {
  connection.run({ sql: begin, params: [] });
  try {
    const result = work();
    connection.commit();
    return result;
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

/** Repeats an attempt that met another process's lock. It must leave nothing behind when it throws. */
export async function whileBusy<T>(connection: Connection, patience: Patience, attempt: () => T): Promise<T> {
  const first = tryOnce(attempt);
  if ("done" in first) return first.done;
  let expired = false;
  const budget = setTimeout(() => {
    expired = true;
  }, patience.budgetMs);
  try {
    for (;;) {
      await pause(patience);
      const next = tryOnce(attempt);
      if ("done" in next) return next.done;
      if (expired) throw busyFault(connection, patience, next.busy);
    }
  } finally {
    clearTimeout(budget);
  }
}

function tryOnce<T>(attempt: () => T): { readonly done: T } | { readonly busy: Fault } {
  try {
    return { done: attempt() };
  } catch (error) {
    if (error instanceof Fault && error.code === "store_busy") return { busy: error };
    throw error;
  }
}

function pause({ jitter }: Patience): Promise<void> {
  const ms = MIN_PAUSE_MS + jitter() * (MAX_PAUSE_MS - MIN_PAUSE_MS);
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function busyFault({ file }: Connection, { budgetMs, lockHolders }: Patience, cause: Fault): Fault {
  const holders = lockHolders?.(file);
  return storeFault("store_busy", `Another process has been writing to the store for ${budgetMs} ms.`, {
    facts: { file, waited_ms: budgetMs, ...(holders && { holder_pids: holders }) },
    cause,
  });
}
