/**
 * Checkpoints between changes. SQLite copies the write-ahead log into the database inside the commit that makes the
 * log too long, and that commit, with everybody who waits for it, then takes milliseconds. A process that changes a
 * lot therefore does it a little earlier, after its change has been answered.
 *
 * Where every process makes one change and ends, nobody would: what was copied is known only as long as somebody has
 * the file open, so the log would grow with every command, and each one reads all of it first. Such a process
 * therefore empties a log that has become long when it leaves and closes the store. It is only a matter of time: when it
 * fails, because others are at work, one of those that leave later does it.
 */
import { Fault } from "../../core/fault.ts";
import type { Connection } from "./connection.ts";

const LOOK_EVERY_CHANGES = 16;
/** SQLite's own limit is 1000. */
const LONG_LOG_PAGES = 700;
/** To read as many takes a third of a millisecond; to empty the log waits for the disk, so it must stay rare. */
const LEFT_LOG_PAGES = 256;

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

  /** To be called before the connection is closed. Who only read leaves the file as it is. */
  closing(): void {
    if (this.#changes === 0 || !this.#connection.isOpen) return;
    this.#favour(() => {
      this.#connection.assertFiles();
      if (this.#connection.framesInLog() < LEFT_LOG_PAGES) return;
      // The first copies while others write; the second has nothing left to copy and keeps them out for a moment only.
      this.#checkpoint("PASSIVE");
      this.#checkpoint("TRUNCATE");
    });
  }

  #shorten(): void {
    if (!this.#connection.isOpen) return;
    this.#favour(() => {
      this.#connection.assertFiles();
      if (this.#connection.framesInLog() >= LONG_LOG_PAGES) this.#checkpoint("PASSIVE");
    });
  }

  #checkpoint(mode: "PASSIVE" | "TRUNCATE"): void {
    this.#connection.get({ sql: `PRAGMA wal_checkpoint(${mode})`, params: [] });
  }

  #favour(work: () => void): void {
    try {
      work();
    } catch (error) {
      // Somebody else is at it, the disk is full, or the files are no longer the store's: the next commit that it matters to will say so.
      if (!(error instanceof Fault)) throw error;
    }
  }
}
