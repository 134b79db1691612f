/** One open database file. Whatever the driver throws leaves here as a Fault. */
import { invariant } from "../../domain/invariant.ts";
import type { SqlRow, Statement } from "../sql/statement.ts";
import type { SqliteDriver, SqliteHandle, SqliteStatement } from "./driver.ts";
import { sqliteFault, storeFault } from "./faults.ts";
import { OpenFiles } from "./open-files.ts";

export class Connection {
  readonly file: string;
  readonly files: OpenFiles;
  // The packaged driver frees a database whose handle is garbage, statements or not: it must stay referenced.
  readonly #handle: SqliteHandle;
  readonly #statements = new Map<string, SqliteStatement>();
  #open = true;
  /** Null while it is not known. */
  #waitsForDisk: boolean | null = null;
  /** What SQLite has accepted before it accepts again: nothing about it depends on the time. */
  readonly #accepted = new Set<boolean>();

  constructor(driver: SqliteDriver, file: string) {
    this.file = file;
    this.files = new OpenFiles(file);
    try {
      this.#handle = driver(file);
    } catch (error) {
      throw sqliteFault(error, file);
    }
    try {
      this.files.noteDatabase();
    } catch (error) {
      this.#handle.close();
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#open;
  }

  exec(sql: string): void {
    this.#guarded(() => this.#handle.exec(sql));
  }

  get({ sql, params }: Statement): SqlRow | undefined {
    return this.#guarded(() => this.#prepared(sql).get(...params));
  }

  all({ sql, params }: Statement): readonly SqlRow[] {
    return this.#guarded(() => this.#prepared(sql).all(...params));
  }

  /** The number of rows that it touched. */
  run({ sql, params, mustTouchOne }: Statement): number {
    const { changes } = this.#guarded(() => this.#prepared(sql).run(...params));
    invariant(!mustTouchOne || Number(changes) === 1, `a guarded statement touched ${changes} rows: ${sql}`);
    return Number(changes);
  }

  /** The one value of a pragma or of a select with one column. */
  value(sql: string): unknown {
    const row = this.get({ sql, params: [] });
    return row && Object.values(row)[0];
  }

  /**
   * Whether commits wait until the disk has them. Set between transactions; SQLite refuses it inside one.
   */
  waitForDisk(waits: boolean): void {
    if (this.#waitsForDisk === waits) return;
    this.#waitsForDisk = null;
    const level = waits ? "FULL" : "NORMAL";
    if (this.#accepted.has(waits)) this.exec(`PRAGMA synchronous = ${level}`);
    else setAndAssert(this, "synchronous", level, waits ? 2 : 1);
    this.#accepted.add(waits);
    this.#waitsForDisk = waits;
  }

  commit(): void {
    this.#guarded(() => this.#prepared("COMMIT").run(), true);
  }

  rollback(): void {
    try {
      this.#prepared("ROLLBACK").run();
    } catch {
      // SQLite has rolled back by itself after some errors, and then there is no transaction left to end.
    }
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#statements.clear();
    this.#handle.close();
  }

  #prepared(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#handle.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #guarded<T>(work: () => T, committing = false): T {
    invariant(this.#open, "the store is closed");
    try {
      return work();
    } catch (error) {
      throw sqliteFault(error, this.file, committing);
    }
  }
}

/** SQLite says nothing about a setting that it does not accept, so each is read back. */
export function setAndAssert(connection: Connection, pragma: string, value: string, expected: number): void {
  connection.exec(`PRAGMA ${pragma} = ${value}`);
  const actual = connection.value(`PRAGMA ${pragma}`);
  if (actual === expected) return;
  throw storeFault("store_unsafe", `SQLite did not accept ${pragma} = ${value}; it is ${String(actual)}.`, {
    facts: { file: connection.file, pragma },
  });
}
