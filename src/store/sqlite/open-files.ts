/**
 * Whether the files that a connection has open are still those that everybody else finds by their names. Somebody may
 * remove, replace or cut them meanwhile, and SQLite does not notice: it would go on in files that nobody else will ever
 * open, or write beside others without hearing of their locks. While a file is open its number is not given to another
 * one, so the number tells; a directory that was away and is back is as it was. The index is shared memory: to touch a
 * part of it that was cut off ends the process, so its size is looked at before each use.
 */
import { statSync } from "node:fs";
import { Fault } from "../../ports/fault.ts";
import { storeFault } from "./faults.ts";

/** Numbers of files can be larger than a plain number holds exactly. */
const EXACTLY = { bigint: true, throwIfNoEntry: false } as const;

interface Seen {
  readonly number: string;
  readonly size: bigint;
}

/** The log or its index, which stay the same for as long as any connection has them open. */
interface Companion extends Seen {
  readonly path: string;
}

export interface FilesProblem {
  /** The database is another one; the log or its index is another file; or one of these was cut. */
  readonly kind: "database" | "moved" | "cut";
  readonly fault: Fault;
}

export class OpenFiles {
  readonly #database: string;
  /** Null while there is none. */
  #number: string | null;
  #log: Companion | null = null;
  #index: Companion | null = null;

  /** To be made before the database is opened. */
  constructor(database: string) {
    this.#database = database;
    this.#number = seen(database)?.number ?? null;
  }

  /** To be called as soon as the database is open: what was there before and after is what was opened. */
  noteDatabase(): void {
    this.#number ??= seen(this.#database)?.number ?? null;
    if (this.#number === null) throw databaseMoved(this.#database);
    this.assertDatabase();
  }

  /** To be called when the connection has its log open. */
  noteCompanions(): void {
    this.#log = companionAt(`${this.#database}-wal`);
    this.#index = companionAt(`${this.#database}-shm`);
  }

  /** Throws when others would open another database by now. */
  assertDatabase(): void {
    if (seen(this.#database)?.number !== this.#number) throw databaseMoved(this.#database);
  }

  /**
   * What is wrong with the files, if anything is. `framesInLog` is asked when the log is shorter than before: SQLite
   * itself empties it at times, and then there are none.
   */
  problem(framesInLog: () => number): FilesProblem | null {
    if (seen(this.#database)?.number !== this.#number)
      return { kind: "database", fault: databaseMoved(this.#database) };
    const index = this.#index && sameOrLonger(this.#index);
    if (index && "fault" in index) return index;
    this.#index = index;
    if (this.#log === null) return null;
    const { path, number, size } = this.#log;
    const now = seen(path);
    if (now?.number !== number) return { kind: "moved", fault: companionMoved(path) };
    if (now.size < size && now.size < logBytes(framesInLog())) return { kind: "cut", fault: companionCut(path) };
    if (now.size !== size) this.#log = { path, ...now };
    return null;
  }

  /** Whether the log was removed and none has taken its place, so that what is in it is in no file that has a name. */
  isLogNameless(): boolean {
    // In another process's index other things are written.
    if (this.#log === null || this.#index === null || "fault" in sameOrLonger(this.#index)) return false;
    const now = seen(this.#log.path);
    return now === null || (now.number !== this.#log.number && now.size === 0n);
  }

  /** Whether a connection that is opened now leads to the same database. */
  isDatabaseInPlace(): boolean {
    try {
      this.assertDatabase();
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return false;
    }
  }
}

function sameOrLonger(companion: Companion): Companion | FilesProblem {
  const { path, number, size } = companion;
  const now = seen(path);
  if (now?.number !== number) return { kind: "moved", fault: companionMoved(path) };
  if (now.size < size) return { kind: "cut", fault: companionCut(path) };
  return now.size === size ? companion : { path, ...now };
}

/** Pages of 4096 bytes, each with a head, after the head of the log. */
function logBytes(frames: number): number {
  return frames <= 0 ? 0 : 32 + frames * (24 + 4096);
}

function companionAt(path: string): Companion | null {
  const now = seen(path);
  return now && { path, ...now };
}

/** Null when there is no such file. A link counts as what it leads to, because that is what SQLite opens. */
function seen(path: string): Seen | null {
  try {
    const stats = statSync(path, EXACTLY);
    return stats ? { number: `${stats.dev}:${stats.ino}`, size: stats.size } : null;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR") return null;
    throw storeFault("store_unreachable", `The store ${path} cannot be looked at (${code}).`, {
      facts: { file: path },
      cause: error,
    });
  }
}

function databaseMoved(path: string): Fault {
  return lost(path, "removed or replaced", OPEN_AGAIN);
}

function companionMoved(path: string): Fault {
  return lost(path, "removed or replaced", END_ALL);
}

function companionCut(path: string): Fault {
  return lost(path, "cut short", END_ALL);
}

/** What a process is told when the store can be opened again. */
export const OPEN_AGAIN =
  "Try again: the next command or call uses the store that is there now. A program opens it anew.";
const END_ALL = "End this process, and whatever else has the store open (tt doctor names it), and start again.";

function lost(path: string, how: string, next: string): Fault {
  const message = `${path} was ${how} while this process had it open.`;
  return storeFault("store_unsafe", message, { next, facts: { file: path } });
}
