/**
 * Whether the files that a connection has open are still those that everybody else finds by their names. Somebody may
 * remove, replace or cut them meanwhile, and SQLite does not notice: it would go on in files that nobody else will ever
 * open, or write beside others without hearing of their locks. While a file is open its number is not given to another
 * one, so the number tells; a directory that was away and is back is as it was. The index is shared memory: to touch a
 * part of it that was cut off ends the process, so its size is looked at before each use.
 */
import { type BigIntStats, statSync } from "node:fs";
import { Fault } from "../../core/fault.ts";
import { storeFault } from "./faults.ts";

/** Numbers of files can be larger than a plain number holds exactly. */
const EXACTLY = { bigint: true, throwIfNoEntry: false } as const;

/** A file as it was seen. Its number is that of its device and its own. */
type Seen = Pick<BigIntStats, "dev" | "ino" | "size">;

/** The log or its index, which stay the same for as long as any connection has them open. */
interface Companion {
  readonly path: string;
  readonly was: Seen;
}

export interface FilesProblem {
  /** The database is another one; the log or its index is another file; or one of these was cut. */
  readonly kind: "database_moved" | "companion_moved" | "log_cut" | "index_cut";
  readonly fault: Fault;
}

export class OpenFiles {
  readonly #database: string;
  /** Null while there is none. */
  #was: Seen | null;
  #log: Companion | null = null;
  #index: Companion | null = null;

  /** To be made before the database is opened. */
  constructor(database: string) {
    this.#database = database;
    this.#was = seen(database);
  }

  /** To be called as soon as the database is open: what was there before and after is what was opened. */
  noteDatabase(): void {
    this.#was ??= seen(this.#database);
    if (!this.isDatabaseInPlace()) throw databaseMoved(this.#database);
  }

  /** To be called when the connection has its log open. */
  noteCompanions(): void {
    this.#log = companionAt(`${this.#database}-wal`);
    this.#index = companionAt(`${this.#database}-shm`);
  }

  /**
   * What is wrong with the files, if anything is. `framesInLog` is asked when the log is shorter than before: SQLite
   * itself empties it at times, and then there are none. Without it, the length of the log does not count.
   */
  problem(framesInLog: (() => number) | null): FilesProblem | null {
    if (!this.#isDatabase(seen(this.#database)))
      return { kind: "database_moved", fault: databaseMoved(this.#database) };
    const index = this.#index && sameOrLonger(this.#index);
    if (index && "fault" in index) return index;
    this.#index = index;
    if (this.#log === null) return null;
    const { path, was } = this.#log;
    const now = seen(path);
    if (!isSame(now, was)) return { kind: "companion_moved", fault: companionMoved(path) };
    if (now.size === was.size || framesInLog === null) return null;
    if (now.size < was.size && !isLogWhole(path, framesInLog)) return { kind: "log_cut", fault: companionCut(path) };
    this.#log = { path, was: now };
    return null;
  }

  /** Whether the log was removed and none has taken its place, so that what is in it is in no file that has a name. */
  isLogNameless(): boolean {
    // In another process's index other things are written.
    if (this.#log === null || this.#index === null || "fault" in sameOrLonger(this.#index)) return false;
    const now = seen(this.#log.path);
    return now === null || (now.size === 0n && !isSame(now, this.#log.was));
  }

  /** Whether a connection that is opened now leads to the same database. */
  isDatabaseInPlace(): boolean {
    try {
      return this.#isDatabase(seen(this.#database));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return false;
    }
  }

  #isDatabase(now: Seen | null): boolean {
    return this.#was !== null && isSame(now, this.#was);
  }
}

function isSame(now: Seen | null, was: Seen): now is Seen {
  return now !== null && now.ino === was.ino && now.dev === was.dev;
}

/** The index never becomes shorter while it is open. */
function sameOrLonger(companion: Companion): Companion | FilesProblem {
  const { path, was } = companion;
  const now = seen(path);
  if (!isSame(now, was)) return { kind: "companion_moved", fault: companionMoved(path) };
  if (now.size < was.size) return { kind: "index_cut", fault: companionCut(path) };
  return now.size === was.size ? companion : { path, was: now };
}

/** Others may write to the log, or empty it, between two looks: what is whole once was not cut. */
function isLogWhole(path: string, framesInLog: () => number): boolean {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const bytes = logBytes(framesInLog());
    if ((seen(path)?.size ?? 0n) >= bytes) return true;
  }
  return false;
}

const LOOKS = 5;

/** Pages of 4096 bytes, each with a head, after the head of the log. */
function logBytes(frames: number): number {
  return frames <= 0 ? 0 : 32 + frames * (24 + 4096);
}

function companionAt(path: string): Companion | null {
  const was = seen(path);
  return was && { path, was };
}

/** Null when there is no such file. A link counts as what it leads to, because that is what SQLite opens. */
function seen(path: string): Seen | null {
  try {
    return statSync(path, EXACTLY) ?? null;
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
