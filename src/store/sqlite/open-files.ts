/**
 * Whether the files that a connection has open are still those that everybody else finds by their names. Somebody may
 * remove or replace them meanwhile, and SQLite does not notice: it would go on in files that nobody else will ever
 * open, or write beside others without hearing of their locks. While a file is open its number is not given to another
 * one, so the number tells; a directory that was away and is back is as it was.
 */
import { statSync } from "node:fs";
import { Fault } from "../../ports/fault.ts";
import { storeFault } from "./faults.ts";

/** Numbers of files can be larger than a plain number holds exactly. */
const EXACTLY = { bigint: true, throwIfNoEntry: false } as const;

export class OpenFiles {
  readonly #database: string;
  /** Null while there is none. */
  #number: string | null;
  /** The log and its index, which stay the same for as long as any connection has them open. */
  #companions: readonly { readonly path: string; readonly number: string }[] = [];

  /** To be made before the database is opened. */
  constructor(database: string) {
    this.#database = database;
    this.#number = numberOf(database);
  }

  /** To be called as soon as the database is open: what was there before and after is what was opened. */
  noteDatabase(): void {
    this.#number ??= numberOf(this.#database);
    if (this.#number === null) throw databaseMoved(this.#database);
    this.assertDatabase();
  }

  /** To be called when the connection has its log open. */
  noteCompanions(): void {
    this.#companions = [`${this.#database}-wal`, `${this.#database}-shm`].flatMap((path) => {
      const number = numberOf(path);
      return number === null ? [] : [{ path, number }];
    });
  }

  /** Throws when others would open another database by now. */
  assertDatabase(): void {
    if (numberOf(this.#database) !== this.#number) throw databaseMoved(this.#database);
  }

  /** Throws when others would write to another log, or hear of other locks. */
  assertCompanions(): void {
    for (const { path, number } of this.#companions) if (numberOf(path) !== number) throw companionMoved(path);
  }

  assertAll(): void {
    this.assertDatabase();
    this.assertCompanions();
  }

  /**
   * Whether a connection that is opened now leads to the same database. One to the same database shares its index with
   * those that this process has open already, also if that was removed: then only another process can go on.
   */
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

/** Null when there is no such file. A link counts as what it leads to, because that is what SQLite opens. */
function numberOf(path: string): string | null {
  try {
    const stats = statSync(path, EXACTLY);
    return stats ? `${stats.dev}:${stats.ino}` : null;
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
  const next = "Try again: the next command or call uses the store that is there now. A program opens it anew.";
  return moved(path, next);
}

function companionMoved(path: string): Fault {
  return moved(path, "End this process, and whatever else has the store open, and start again.");
}

function moved(path: string, next: string): Fault {
  const message = `${path} was removed or replaced while this process had it open.`;
  return storeFault("store_unsafe", message, { next, facts: { file: path } });
}
