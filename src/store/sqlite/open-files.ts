/**
 * Whether the files that a connection has open are still those that other processes find by their names. If they are
 * removed, replaced or cut meanwhile, SQLite does not notice: it would use files that no other process ever opens, or
 * write without seeing the locks of others. The inode number of an open file is not reused, so it identifies the file; a
 * directory that was moved away and back is unchanged. The index is shared memory: touching a part that was cut off ends
 * the process, so its size is checked before each use.
 */
import { type BigIntStats, statSync } from "node:fs";
import { Fault } from "../../core/fault.ts";
import { storeFault } from "./faults.ts";

/** Inode numbers can be larger than a plain number holds exactly. */
const EXACTLY = { bigint: true, throwIfNoEntry: false } as const;

/** A file as it was seen. Device and inode number identify it. */
type Seen = Pick<BigIntStats, "dev" | "ino" | "size">;

/** The log or its index, which stay the same while any connection has them open. */
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

  /** Must be created before the database is opened. */
  constructor(database: string) {
    this.#database = database;
    this.#was = seen(database);
  }

  /** Must be called as soon as the database is open: a file that was there before and after is the one that was opened. */
  noteDatabase(): void {
    this.#was ??= seen(this.#database);
    if (!this.isDatabaseInPlace()) throw lost(this.#database, MOVED, OPEN_AGAIN);
  }

  /** Must be called when the connection has its log open. */
  noteCompanions(): void {
    this.#log = companionAt(`${this.#database}-wal`);
    this.#index = companionAt(`${this.#database}-shm`);
  }

  /**
   * The problem with the files, if there is one. `framesInLog` is asked when the log is shorter than before: SQLite itself
   * empties it at times, and then there are none. Without it, the length of the log does not count.
   */
  problem(framesInLog: (() => number) | null): FilesProblem | null {
    if (!this.#isDatabase(seen(this.#database)))
      return { kind: "database_moved", fault: lost(this.#database, MOVED, OPEN_AGAIN) };
    const index = this.#index && sameOrLonger(this.#index);
    if (index && "fault" in index) return index;
    this.#index = index;
    if (this.#log === null) return null;
    const { path, was } = this.#log;
    const now = seen(path);
    if (!isSame(now, was)) return { kind: "companion_moved", fault: lost(path, MOVED, END_ALL) };
    if (now.size === was.size || framesInLog === null) return null;
    if (now.size < was.size && !isLogWhole(path, framesInLog))
      return { kind: "log_cut", fault: lost(path, "cut short", END_ALL) };
    this.#log = { path, was: now };
    return null;
  }

  /** Whether the log was removed and not replaced, so that only this process can still read it. */
  isLogNameless(): boolean {
    // The index of another process does not describe this log.
    if (this.#log === null || this.#index === null || "fault" in sameOrLonger(this.#index)) return false;
    const now = seen(this.#log.path);
    return now === null || (now.size === 0n && !isSame(now, this.#log.was));
  }

  /** Whether the log is long enough for this many frames. They need not be valid: SQLite also overwrites a long log. */
  logHasRoomFor(frames: number): boolean {
    return this.#log !== null && (seen(this.#log.path)?.size ?? 0n) >= logBytes(frames);
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

/** A text that differs for every file; null when there is no such file. */
export function identityOf(path: string): string | null {
  const now = seen(path);
  return now && `${now.dev}:${now.ino}`;
}

function isSame(now: Seen | null, was: Seen): now is Seen {
  return now !== null && now.ino === was.ino && now.dev === was.dev;
}

/** The index never becomes shorter while it is open. */
function sameOrLonger(companion: Companion): Companion | FilesProblem {
  const { path, was } = companion;
  const now = seen(path);
  if (!isSame(now, was)) return { kind: "companion_moved", fault: lost(path, MOVED, END_ALL) };
  if (now.size < was.size) return { kind: "index_cut", fault: lost(path, "cut short", END_ALL) };
  return now.size === was.size ? companion : { path, was: now };
}

/** Others may write to the log, or empty it, between two looks: if it is whole once, it was not cut. */
function isLogWhole(path: string, framesInLog: () => number): boolean {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const bytes = logBytes(framesInLog());
    if ((seen(path)?.size ?? 0n) >= bytes) return true;
  }
  return false;
}

const LOOKS = 5;

/** Pages of 4096 bytes, each with a header, after the header of the log. */
function logBytes(frames: number): number {
  return frames <= 0 ? 0 : 32 + frames * (24 + 4096);
}

function companionAt(path: string): Companion | null {
  const was = seen(path);
  return was && { path, was };
}

/** Null when there is no such file. A link counts as its target, because SQLite opens that. */
function seen(path: string): Seen | null {
  try {
    return statSync(path, EXACTLY) ?? null;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR") return null;
    throw storeFault("store_unreachable", `The store ${path} cannot be examined (${code}).`, {
      facts: { file: path },
      cause: error,
    });
  }
}

/** The advice when the store can be opened again. */
export const OPEN_AGAIN =
  "Try again: the next command or call uses the store that is there now. A program that has it open must open it again.";
const MOVED = "removed or replaced";
const END_ALL = "End this process and every other one that has the store open (tt doctor lists them), and start again.";

function lost(path: string, how: string, next: string): Fault {
  const message = `${path} was ${how} while this process had it open.`;
  return storeFault("store_unsafe", message, { next, facts: { file: path } });
}
