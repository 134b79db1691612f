/**
 * The schema of an open store. Another build may upgrade it at any time, so its version is compared with the known one at
 * the beginning of each change, which then blocks migrations, and after each read: versions only rise, so a version that
 * is the same afterwards was the same meanwhile.
 */
import { isReadable, NEWEST_VERSION, readInstead, tablesForReads } from "../sql/schema-steps.ts";
import type { SqlRow, Statement } from "../sql/statement.ts";
import { BEGIN } from "./connection.ts";
import type { Database, PostgresSession } from "./database.ts";
import { storeFault } from "./faults.ts";
import { findVersion, migrate, STATE, usableVersion } from "./migrate.ts";
import { withRetry } from "./transaction.ts";

type Answers = readonly (readonly SqlRow[])[];

/** A change begins and commits by itself, to save round trips. */
export interface Transaction extends Pick<PostgresSession, "send" | "rollback"> {
  /** Begins, and makes sure that this build may write. The answers are those to the statements. */
  begin(statements: readonly Statement[]): Promise<Answers>;
}

export class PostgresSchema {
  readonly #database: Database;
  readonly name: string;
  /** The channel of its bell. */
  readonly channel: string;
  /** As last looked at. */
  #version: number;
  /** What reads use in place of the tables of an older schema. */
  #tables: string | null = null;

  private constructor(database: Database, version: number) {
    this.#database = database;
    this.name = database.options.schema;
    this.channel = database.channel;
    this.#version = version;
    this.#learn(version);
  }

  /** Upgrades only a schema that is new, or too old to be read; the first change upgrades others. */
  static async open(database: Database): Promise<PostgresSchema> {
    const version = await findVersion(database);
    if (isReadable(version)) return new PostgresSchema(database, version);
    await migrate(database);
    return new PostgresSchema(database, NEWEST_VERSION);
  }

  /** As last looked at. */
  get isUpToDate(): boolean {
    return this.#version >= NEWEST_VERSION;
  }

  get isPooled(): boolean {
    return this.#database.isPooled;
  }

  /** One read, on any schema that is readable. One statement sees one state of the database. */
  query(statement: Statement): Promise<readonly SqlRow[]> {
    return withRetry(this.#database, async (session) => {
      for (;;) {
        const rows = await this.#unlessChanged(session, statement);
        if (rows !== null) return rows;
      }
    });
  }

  async change<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    if (this.#version < NEWEST_VERSION) await migrate(this.#database);
    return withRetry(this.#database, (session) =>
      work({
        send: (statements) => session.send(statements),
        rollback: () => session.rollback(),
        begin: async (statements) => {
          const [, state = [], ...answers] = await session.send([BEGIN, STATE, ...statements]);
          this.#learn(usableVersion(state, this.name));
          if (this.#version < NEWEST_VERSION) throw replaced(this.name);
          return answers;
        },
      }),
    );
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  /** Null when the schema has changed meanwhile. */
  async #unlessChanged(session: PostgresSession, { sql, ...rest }: Statement): Promise<readonly SqlRow[] | null> {
    const version = this.#version;
    const read = { ...rest, sql: this.#tables === null ? sql : readInstead(sql, this.#tables) };
    const outcome = await session.send([read, STATE]).then(
      ([rows = [], state = []]) => ({ rows, state }),
      async (error: unknown) => {
        const [state = []] = await session.send([STATE]).catch(() => Promise.reject(error));
        return { error, state };
      },
    );
    const found = usableVersion(outcome.state, this.name);
    this.#learn(found);
    if (found !== version) return null;
    if ("error" in outcome) throw outcome.error;
    return outcome.rows;
  }

  #learn(version: number): void {
    if (version === this.#version && version >= NEWEST_VERSION) return;
    this.#version = version;
    this.#tables = version < NEWEST_VERSION ? tablesForReads(version, this.name) : null;
  }
}

function replaced(schema: string): Error {
  const message = `The store's schema ${schema} was replaced with an older one while this process had it open.`;
  return storeFault("store_unsafe", message, { next: "Try again: the next change upgrades it.", retry: true });
}
