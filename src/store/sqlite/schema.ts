/**
 * The schema of an open store. Another build may upgrade it at any time, so its version is compared with the known one
 * inside each change, and after each read: versions only rise, so a version that is the same afterwards was the same
 * meanwhile.
 */
import { Fault } from "../../core/fault.ts";
import { NEWEST_VERSION, tablesForReads } from "../sql/schema-steps.ts";
import type { SqliteConnection } from "./connection.ts";
import { storeFault } from "./faults.ts";
import { assertUsable, migrate, versionOf } from "./migrate.ts";
import type { Patience } from "./patience.ts";
import { whileBusy, writeTransaction } from "./transaction.ts";

export class SqliteSchema {
  readonly #connection: SqliteConnection;
  readonly #patience: Patience;
  /** As last looked at. */
  #version: number;

  constructor(connection: SqliteConnection, patience: Patience, version: number) {
    this.#connection = connection;
    this.#patience = patience;
    this.#version = version;
    this.#learn(version);
  }

  /** As last looked at. */
  get isUpToDate(): boolean {
    return this.#version >= NEWEST_VERSION;
  }

  /** Reads on any schema that is readable, and repeats the read if the schema changed meanwhile. */
  read<T>(work: () => T): Promise<T> {
    return whileBusy(this.#connection, this.#patience, () => {
      for (;;) {
        const result = this.#unlessChanged(work);
        if (result !== null && !this.#hasChanged()) return result.done;
      }
    });
  }

  /** Null when `work` failed because the schema has changed. */
  #unlessChanged<T>(work: () => T): { readonly done: T } | null {
    try {
      return { done: work() };
    } catch (error) {
      if ((error instanceof Fault && error.code === "store_busy") || !this.#hasChanged()) throw error;
      return null;
    }
  }

  /** Changes. `work` makes its changes in a `transaction`. */
  async change<T>(work: () => T): Promise<T> {
    if (this.#version < NEWEST_VERSION) await migrate(this.#connection, this.#patience);
    return whileBusy(this.#connection, this.#patience, work);
  }

  /** No process can upgrade the schema during the transaction. */
  transaction<T>(work: () => T): T {
    return writeTransaction(this.#connection, () => {
      this.#hasChanged();
      return work();
    });
  }

  /** Throws when this build may not use the schema. */
  #hasChanged(): boolean {
    const version = versionOf(this.#connection);
    if (version === this.#version) return false;
    if (version < this.#version) throw overwritten(this.#connection);
    assertUsable(this.#connection, version);
    this.#learn(version);
    return true;
  }

  #learn(version: number): void {
    this.#version = version;
    this.#connection.readInstead(version < NEWEST_VERSION ? tablesForReads(version, "main") : null);
  }
}

function overwritten({ file }: SqliteConnection): Fault {
  const message = `${file} was overwritten with an older store while this process had it open.`;
  const next = "End this process and every other one that has the store open, and start again.";
  return storeFault("store_unsafe", message, { next, facts: { file } });
}
