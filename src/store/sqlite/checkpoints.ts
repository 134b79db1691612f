/**
 * Checkpoints between changes. SQLite copies the write-ahead log into the database inside the commit that makes the
 * log too long, and that commit, with everybody who waits for it, then takes milliseconds. A process that changes a
 * lot therefore does it a little earlier, after its change has been answered. It is only a matter of time: when it
 * fails, or when many processes make few changes each, the commit does it as ever.
 */
import { Fault } from "../../ports/fault.ts";
import type { Connection } from "./connection.ts";

const LOOK_EVERY_CHANGES = 16;
/** SQLite's own limit is 1000. */
const LONG_LOG_PAGES = 700;

export class Checkpoints {
  readonly #connection: Connection;
  #changes = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** To be told of every change. */
  changed(): void {
    this.#changes += 1;
    if (this.#changes % LOOK_EVERY_CHANGES === 0) setImmediate(() => this.#shorten());
  }

  #shorten(): void {
    if (!this.#connection.isOpen) return;
    try {
      const pages = this.#connection.get({ sql: "PRAGMA wal_checkpoint(NOOP)", params: [] })?.["log"];
      if (Number(pages) < LONG_LOG_PAGES) return;
      this.#connection.get({ sql: "PRAGMA wal_checkpoint(PASSIVE)", params: [] });
    } catch (error) {
      // Somebody else is at it, or the disk is full: the next commit that it matters to will say so.
      if (!(error instanceof Fault)) throw error;
    }
  }
}
