/** One open database file. Every error of the driver becomes a Fault here. */

import { Fault } from "../../core/fault.ts";
import { invariant } from "../../core/invariant.ts";
import { readInstead } from "../sql/schema-steps.ts";
import type { SqlRow, Statement } from "../sql/statement.ts";
import type { SqliteDriver, SqliteHandle, SqliteStatement } from "./driver.ts";
import { type FindForbidden, isLocked, sqliteFault, storeFault } from "./faults.ts";
import { type FilesProblem, identityOf, OPEN_AGAIN, OpenFiles } from "./open-files.ts";

/** The open connections of this process, also those that cannot be closed. */
const connections = new Set<SqliteConnection>();

/**
 * Node closes open databases when it ends by itself, but not when it is told to end. No listener after this one runs, so
 * other parts prepend theirs. Each connection is asked: to ask it saves a log that was removed.
 */
function endWithoutClosing(code: number): void {
  const mayAllBeClosed = [...connections].map((connection) => connection.mayBeClosed() && !connection.leavesLog);
  if (mayAllBeClosed.every(Boolean)) return;
  (process as unknown as { readonly reallyExit: (code: number) => never }).reallyExit(code);
}

/**
 * Every database that this process has ever had open. The packaged driver keeps the files of a closed connection open
 * until its statements are garbage, and a new connection shares their locks. A process may have loaded several bundles
 * with this file in them, so the set belongs to the process.
 */
const everOpen = ofProcess("talking-stick.databases", () => new Set<string>());

function ofProcess<Value>(name: string, create: () => Value): Value {
  const values = globalThis as unknown as Record<symbol, Value | undefined>;
  return (values[Symbol.for(name)] ??= create());
}

/** If this process may have the file open, it must not open and close it in another way: that would end SQLite's locks. */
export function mayBeOpenHere(file: string): boolean {
  const identity = identityOf(file);
  return identity !== null && everOpen.has(identity);
}

interface ConnectionOptions {
  readonly findForbidden?: FindForbidden | undefined;
  /**
   * For a process that ends as soon as the store is closed: the system then closes the files, and the log stays. SQLite
   * would copy the log into the database and remove it, which waits for the disk several times, and so does the next
   * command when it creates a log.
   */
  readonly leavesLog?: boolean | undefined;
}

export class SqliteConnection {
  readonly file: string;
  readonly files: OpenFiles;
  readonly leavesLog: boolean;
  // The packaged driver frees a database whose handle is garbage, even if it has statements: it must stay referenced.
  readonly #handle: SqliteHandle;
  readonly #findForbidden: FindForbidden | undefined;
  readonly #statements = new Map<string, SqliteStatement>();
  #open = true;
  /** Once its files are lost, a connection fails with this. */
  #lost: Fault | null = null;
  /** A part of the index is missing, and touching it would end the process. */
  #untouchable = false;
  /** What selects read in place of the tables of an older schema. */
  #tables: string | null = null;
  /** Null while unknown. */
  #waitsForDisk: boolean | null = null;
  /** The settings that SQLite has accepted before: it accepts them again. */
  readonly #accepted = new Set<boolean>();

  constructor(driver: SqliteDriver, file: string, { findForbidden, leavesLog = false }: ConnectionOptions = {}) {
    this.file = file;
    this.#findForbidden = findForbidden;
    this.leavesLog = leavesLog;
    this.files = new OpenFiles(file);
    try {
      this.#handle = driver(file);
    } catch (error) {
      throw sqliteFault(error, file, { findForbidden });
    }
    try {
      this.files.noteDatabase();
    } catch (error) {
      this.#handle.close();
      throw error;
    }
    if (connections.size === 0) process.on("exit", endWithoutClosing);
    connections.add(this);
    const identity = identityOf(file);
    if (identity !== null) everOpen.add(identity);
  }

  get isOpen(): boolean {
    return this.#open;
  }

  exec(sql: string): void {
    this.#guarded(() => this.#handle.exec(sql));
  }

  get({ sql, params }: Statement): SqlRow | undefined {
    return this.#guarded(() => this.#prepared(this.#reading(sql)).get(...params));
  }

  all({ sql, params }: Statement): readonly SqlRow[] {
    return this.#guarded(() => this.#prepared(this.#reading(sql)).all(...params));
  }

  /** From now on selects read these tables in place of those of the same names; see schema-steps.ts. */
  readInstead(tables: string | null): void {
    this.#tables = tables;
  }

  /** The number of rows that it touched. */
  run({ sql, params, mustTouchOne }: Statement): number {
    const { changes } = this.#guarded(() => this.#prepared(sql).run(...params));
    invariant(!mustTouchOne || Number(changes) === 1, `a guarded statement touched ${changes} rows: ${sql}`);
    return Number(changes);
  }

  /** True when there was something to run. */
  runAll(statements: readonly Statement[]): boolean {
    for (const statement of statements) this.run(statement);
    return statements.length > 0;
  }

  /** The one value of a pragma or of a select with one column. */
  value(sql: string): unknown {
    const row = this.get({ sql, params: [] });
    return row && Object.values(row)[0];
  }

  /** Whether commits wait until the disk has them. Set between transactions; SQLite refuses it inside one. */
  waitForDisk(waits: boolean): void {
    if (this.#waitsForDisk === waits) return;
    this.#waitsForDisk = null;
    const level = waits ? "FULL" : "NORMAL";
    if (this.#accepted.has(waits)) this.exec(`PRAGMA synchronous = ${level}`);
    else setAndAssert(this, "synchronous", level, waits ? 2 : 1);
    this.#accepted.add(waits);
    this.#waitsForDisk = waits;
  }

  /**
   * Under load most attempts end because another connection holds the lock. To record where an error came from takes
   * longer than the attempt itself, so that fault has no stack.
   */
  begin(sql: string): void {
    this.#guarded(() => {
      const begin = this.#prepared(sql);
      const { stackTraceLimit } = Error;
      Error.stackTraceLimit = 0;
      try {
        begin.run();
      } catch (error) {
        throw isLocked(error) ? sqliteFault(error, this.file) : error;
      } finally {
        Error.stackTraceLimit = stackTraceLimit;
      }
    });
  }

  commit(): void {
    this.#guarded(() => this.#prepared("COMMIT").run(), true);
  }

  /** Must be called before each transaction. Throws when the files are no longer those that others use. */
  assertFiles(): void {
    if (this.#lost) throw this.#lost;
    const problem = this.files.problem(() => this.framesInLog());
    if (problem === null) return;
    if (problem.kind === "companion_moved") this.#lost = this.#rescueLog(problem);
    throw this.#lost ?? problem.fault;
  }

  /** Must be called before a commit. */
  assertFilesInTransaction(): void {
    // SQLite gives no facts about the log inside a transaction, and others may have emptied it just before.
    const problem = this.files.problem(null);
    if (problem?.kind === "index_cut") {
      this.#lost = problem.fault;
      this.#untouchable = true;
    }
    if (problem !== null) throw problem.fault;
  }

  /** False when the store has to be opened again. */
  isInPlace(): boolean {
    return this.#open && this.files.isDatabaseInPlace();
  }

  /** How many frames of the log are valid; below 1 when there is none. */
  framesInLog(): number {
    return Number(this.get({ sql: "PRAGMA wal_checkpoint(NOOP)", params: [] })?.["log"]);
  }

  /** Copies a log that was removed into the database, where others find it. Null when that has to be tried again. */
  #rescueLog({ fault }: FilesProblem): Fault | null {
    if (!this.files.isLogNameless()) return fault;
    try {
      if (this.value("PRAGMA wal_checkpoint(TRUNCATE)") !== 0) return null;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return error.code === "store_busy" ? null : fault;
    }
    this.#end();
    return new Fault(fault.code, fault.message, { next: OPEN_AGAIN, retry: false, facts: fault.facts });
  }

  rollback(): void {
    if (this.#untouchable) return;
    try {
      this.#prepared("ROLLBACK").run();
    } catch {
      // After some errors SQLite has rolled back by itself, and there is no transaction left to end.
    }
  }

  /** `lastly` runs before, if the files are in order. */
  close(lastly: (() => void) | null = null): void {
    // Also saves a log that was removed.
    const mayBeClosed = this.mayBeClosed(lastly);
    if (mayBeClosed && !this.leavesLog) this.#end();
    this.#open = false;
  }

  /** If the files were replaced, closing would copy an outdated log, or remove the log of others. */
  mayBeClosed(lastly: (() => void) | null = null): boolean {
    if (!this.#open) return false;
    try {
      this.assertFiles();
      if (!lastly) return true;
      lastly();
      // That may have taken a while.
      this.assertFiles();
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return this.#lost === null && !this.files.isDatabaseInPlace();
    }
  }

  #end(): void {
    this.#open = false;
    this.#statements.clear();
    this.#handle.close();
    connections.delete(this);
    if (connections.size === 0) process.off("exit", endWithoutClosing);
  }

  #reading(sql: string): string {
    return this.#tables === null || !/^(SELECT|WITH)\b/.test(sql) ? sql : readInstead(sql, this.#tables);
  }

  #prepared(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#handle.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #guarded<T>(work: () => T, committing = false): T {
    if (this.#lost) throw this.#lost;
    invariant(this.#open, "the store is closed");
    try {
      return work();
    } catch (error) {
      throw sqliteFault(error, this.file, { committing, findForbidden: this.#findForbidden });
    }
  }
}

/** SQLite does not report a setting that it rejects, so each is read back. */
export function setAndAssert(connection: SqliteConnection, pragma: string, value: string, expected: number): void {
  connection.exec(`PRAGMA ${pragma} = ${value}`);
  const actual = connection.value(`PRAGMA ${pragma}`);
  if (actual === expected) return;
  throw storeFault("store_unsafe", `SQLite did not accept ${pragma} = ${value}; it is ${String(actual)}.`, {
    facts: { file: connection.file, pragma },
  });
}
