import type { SqliteHandle } from "../../src/store/sqlite/driver.ts";
import type { StatementWatch } from "./watched-driver.ts";

/** Before the n-th statement of a call, or right after the commit of its change. */
export type Point = number | "after commit";

/**
 * Acts once at a chosen statement of the next call. Statements are counted from 1 while it is armed, up to the
 * commit of the call's write transaction: what comes after that cannot undo the change any more.
 */
export class Failpoint implements StatementWatch {
  /** Statements seen since it was armed, the commit included. */
  count = 0;
  /** The change of the armed call is in the database. */
  committed = false;
  hit = false;
  readonly #act: (handle: SqliteHandle) => void;
  #point: Point | null = null;
  #counting = false;
  #writing = false;

  constructor(act: (handle: SqliteHandle) => void) {
    this.#act = act;
  }

  /** Null counts and never acts. */
  arm(point: Point | null): void {
    Object.assign(this, { count: 0, committed: false, hit: false });
    this.#point = point;
    this.#counting = true;
    this.#writing = false;
  }

  disarm(): void {
    this.#counting = false;
  }

  before(sql: string, handle: SqliteHandle): void {
    if (!this.#counting || this.committed) return;
    this.count += 1;
    if (this.count === this.#point) this.#fire(handle);
    if (sql.startsWith("BEGIN IMMEDIATE")) this.#writing = true;
  }

  after(sql: string, handle: SqliteHandle): void {
    if (!this.#counting || !this.#writing || sql !== "COMMIT") return;
    this.#writing = false;
    this.committed = true;
    if (this.#point === "after commit") this.#fire(handle);
  }

  #fire(handle: SqliteHandle): void {
    this.hit = true;
    this.#counting = false;
    this.#act(handle);
  }
}

/** An error as the drivers throw it. */
export function sqliteError(message: string, errcode: number): Error {
  return Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", errcode, errstr: message });
}
