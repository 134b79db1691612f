/**
 * One connection to the store's schema. Statements of one call are sent together, without waiting for each other's
 * answers, so a batch costs one round trip. A connection that failed is closed and another one is opened: statements that
 * the driver had buffered for it must never reach a new one.
 */
import postgres from "postgres";
import { invariant } from "../../core/invariant.ts";
import { raw, type SqlRow, type Statement } from "../sql/statement.ts";
import { isBroken, isBrokenGuard, isOutdatedPlan, postgresFault } from "./faults.ts";
import { driverAddress, type Server } from "./tls.ts";

export interface ConnectionOptions extends Server {
  readonly schema: string;
  /** How long one statement may wait for locks. */
  readonly budgetMs: number;
}

type Numbers = { bigint: number };

export const COMMIT: Statement = raw("COMMIT");

/** The server ends an idle transaction before those that wait for its locks give up. */
const IDLE_SHARE = 0.5;
/** How long a statement may take once it has its locks. */
const AFTER_LOCK_MS = 1000;

export class PostgresConnection {
  readonly #client: postgres.Sql<Numbers>;
  #reserved: postgres.ReservedSql<Numbers> | null = null;
  #alive = true;
  /** The calls that wait for an answer. The driver forgets some of them when a connection is lost at the wrong moment. */
  readonly #waiting = new Set<(reason: Error) => void>();
  /** Whether the last batch held a commit, so that the outcome of a failure is unknown. */
  #committing = false;

  private constructor(options: ConnectionOptions) {
    this.#client = clientFor(options, () => {
      this.#alive = false;
      for (const reject of this.#waiting) reject(new Error("the connection was lost"));
    });
  }

  static async open(options: ConnectionOptions): Promise<PostgresConnection> {
    const connection = new PostgresConnection(options);
    try {
      // The driver reserves only a connection that is open, and a plain statement opens it.
      await connection.#client.unsafe("SELECT 1");
      connection.#reserved = await connection.#unlessLost(() => connection.#client.reserve());
      return connection;
    } catch (error) {
      connection.close();
      throw postgresFault(error);
    }
  }

  get alive(): boolean {
    return this.#alive;
  }

  get committing(): boolean {
    return this.#committing;
  }

  /** Sends all statements, then waits for all answers. */
  async send(statements: readonly Statement[]): Promise<readonly (readonly SqlRow[])[]> {
    const reserved = this.#reserved;
    invariant(reserved && this.#alive, "a connection sends while it lives");
    this.#committing = statements.includes(COMMIT);
    try {
      return await this.#unlessLost(() => Promise.all(statements.map((statement) => this.#ask(reserved, statement))));
    } catch (error) {
      invariant(!isBrokenGuard(error), "a guarded statement touched no row");
      // If one plan is outdated, others are too. A new connection has none.
      if (isBroken(error) || isOutdatedPlan(error)) this.close();
      throw postgresFault(error, this.#committing);
    }
  }

  /** Several statements in one text, for migrations. */
  async script(text: string): Promise<void> {
    await this.send([raw(text)]);
  }

  /** Ends a transaction that failed. If that fails too, the connection is closed and the server ends the transaction. */
  async rollback(): Promise<void> {
    if (!this.#alive) return;
    try {
      await this.send([raw("ROLLBACK")]);
    } catch {
      this.close();
    }
  }

  async #unlessLost<T>(work: () => Promise<T>): Promise<T> {
    let lose: ((reason: Error) => void) | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        lose = reject;
        this.#waiting.add(reject);
        work().then(resolve, reject);
      });
    } finally {
      if (lose) this.#waiting.delete(lose);
    }
  }

  async #ask(reserved: postgres.ReservedSql<Numbers>, { sql, params, mayFail }: Statement) {
    try {
      const options = { prepare: params.length > 0 };
      return (await reserved.unsafe(withNumbers(sql), [...params], options)) as readonly SqlRow[];
    } catch (error) {
      if (!mayFail) throw error;
      if (isBroken(error)) this.close();
      return [];
    }
  }

  close(): void {
    this.#alive = false;
    // The outcome of closing an unused connection does not matter.
    this.#client.end({ timeout: 0 }).catch(() => undefined);
  }
}

function clientFor(options: ConnectionOptions, onclose: () => void): postgres.Sql<Numbers> {
  const { schema, budgetMs } = options;
  const { url, ...address } = driverAddress(options);
  return postgres(url, {
    ...address,
    max: 1,
    max_lifetime: null,
    // The driver does not guard its statement for types: a connection lost during it would end the process.
    fetch_types: false,
    connect_timeout: Math.ceil(budgetMs / 1000),
    onclose,
    onnotice: () => undefined,
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
    connection: {
      application_name: "talking-stick",
      search_path: schema,
      synchronous_commit: "on",
      lock_timeout: budgetMs,
      statement_timeout: budgetMs + AFTER_LOCK_MS,
      idle_in_transaction_session_timeout: Math.ceil(budgetMs * IDLE_SHARE),
    },
  }) as postgres.Sql<Numbers>;
}

const numbered = new Map<string, string>();

/** Marks parameters as PostgreSQL does, `$1` for the first `?`. */
function withNumbers(sql: string): string {
  const known = numbered.get(sql);
  if (known !== undefined) return known;
  let number = 0;
  const text = sql.replace(/\?/g, () => {
    number += 1;
    return `$${number}`;
  });
  numbered.set(sql, text);
  return text;
}
