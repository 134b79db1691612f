/**
 * What differs as soon as anybody may have changed the file: SQLite counts the commits of other connections, and our own
 * are counted here.
 */
import type { Connection } from "./connection.ts";

export class ChangeMark {
  readonly #connection: Connection;
  #ownChanges = 0;
  /** As last looked at. */
  #dataVersion = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  read(): string {
    this.#dataVersion = Number(this.#connection.value("PRAGMA data_version"));
    return this.current;
  }

  /** After a commit of ours: it does not change the data version, so that still is what it was in the transaction. */
  get current(): string {
    return `${this.#dataVersion}.${this.#ownChanges}`;
  }

  /** To be told of every change of ours. */
  changed(): void {
    this.#ownChanges += 1;
  }
}
