/**
 * Checkpoints between changes. SQLite copies the write-ahead log into the database inside the commit that makes the log
 * too long, and that commit, with all that wait for it, takes milliseconds. A process that changes a lot therefore
 * checkpoints a little earlier, after its change was answered.
 *
 * If every process makes one change and ends, none of them gets there. What was copied is known only while a process has
 * the file open, so the log would grow with every command, and each command reads all of it first. Such a process
 * therefore empties a long log when it closes the store. If that fails because others are at work, a later process does
 * it.
 */
import { Fault } from "../../core/fault.ts";
import type { SqliteConnection } from "./connection.ts";

const LOOK_EVERY_CHANGES = 16;
/** SQLite's own limit is 1000. */
const LONG_LOG_PAGES = 700;
/** To read this many takes a third of a millisecond. To empty the log waits for the disk, so it must stay rare. */
const LEFT_LOG_PAGES = 256;

export class Checkpoints {
  readonly #connection: SqliteConnection;
  #changes = 0;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Must be called for every change. */
  changed(): void {
    this.#changes += 1;
    if (this.#changes % LOOK_EVERY_CHANGES === 0) setImmediate(() => this.#shorten());
  }

  /**
   * What is left to do before the connection is closed, once its files are in order. Null if nothing is: a process that
   * only read leaves the log as it is.
   */
  beforeClose(): (() => void) | null {
    if (this.#changes === 0) return null;
    return () =>
      this.#tryTo(() => {
        // Mostly the log is short, and its length is known sooner than what is in it.
        const { files } = this.#connection;
        if (!files.logHasRoomFor(LEFT_LOG_PAGES) || this.#connection.framesInLog() < LEFT_LOG_PAGES) return;
        // The first one copies while others write. The second has nothing left to copy and blocks them only briefly.
        this.#checkpoint("PASSIVE");
        this.#checkpoint("TRUNCATE");
      });
  }

  #shorten(): void {
    if (!this.#connection.isOpen) return;
    this.#tryTo(() => {
      this.#connection.assertFiles();
      if (this.#connection.framesInLog() >= LONG_LOG_PAGES) this.#checkpoint("PASSIVE");
    });
  }

  #checkpoint(mode: "PASSIVE" | "TRUNCATE"): void {
    this.#connection.get({ sql: `PRAGMA wal_checkpoint(${mode})`, params: [] });
  }

  #tryTo(work: () => void): void {
    try {
      work();
    } catch (error) {
      // Another process checkpoints, the disk is full, or the files were replaced: a later commit reports a failure.
      if (!(error instanceof Fault)) throw error;
    }
  }
}
