/**
 * Connections to one schema of one database.
 *
 * A session is one reserved connection. Statements given to it together are sent together, without waiting for
 * each other's answers, so a whole batch costs one round trip. Every session has a deadline, because a server
 * that vanished without a word would otherwise be waited for without end.
 *
 * After a broken connection the whole client is replaced: what the driver had buffered for the old connection
 * must never reach a new one.
 */
import postgres from "postgres";
import { invariant } from "../../domain/invariant.ts";
import type { SqlRow, Statement } from "../sql/statement.ts";
import { isBroken, isBrokenGuard, postgresFault, storeFault } from "./faults.ts";

export interface DatabaseOptions {
  readonly url: string;
  readonly schema: string;
  /** How long one operation may take, waiting for locks included. */
  readonly budgetMs: number;
  readonly maxConnections: number;
}

type Client = postgres.Sql<{ bigint: number }>;
type Reserved = postgres.ReservedSql<{ bigint: number }>;

/** All that is under way on one client, so that it can be ended when it is both replaced and unused. */
interface ClientUse {
  readonly client: Client;
  sessions: number;
  replaced: boolean;
}

/** The server ends a transaction that sits idle before those who wait for its locks lose their patience. */
const IDLE_SHARE = 0.5;
const ROUND_TRIP_ALLOWANCE_MS = 2000;

export class Database {
  readonly options: DatabaseOptions;
  #use: ClientUse | null = null;
  #open = true;

  constructor(options: DatabaseOptions) {
    invariant(/^[a-z_][a-z0-9_]{0,62}$/.test(options.schema), "a schema's name needs no quotes");
    this.options = options;
  }

  /** Runs `work` on a connection of its own. What it throws leaves here as a fault, unless it is the work's own. */
  async session<T>(work: (session: Session) => Promise<T>): Promise<T> {
    invariant(this.#open, "the store is closed");
    this.#use ??= { client: connect(this.options), sessions: 0, replaced: false };
    const use = this.#use;
    const session = new Session(use.client);
    use.sessions += 1;
    try {
      return await this.#withinBudget(session, session.run(work));
    } finally {
      use.sessions -= 1;
      if (session.broken && this.#use === use) this.#use = null;
      use.replaced ||= this.#use !== use;
      if (use.replaced && use.sessions === 0) endNow(use.client);
    }
  }

  /** One statement on its own. */
  query(statement: Statement): Promise<readonly SqlRow[]> {
    return this.session(async (session) => {
      const [rows = []] = await session.send([statement]);
      return rows;
    });
  }

  async close(): Promise<void> {
    this.#open = false;
    const use = this.#use;
    this.#use = null;
    await use?.client.end({ timeout: 0 });
  }

  async #withinBudget<T>(session: Session, work: Promise<T>): Promise<T> {
    const limitMs = this.options.budgetMs + ROUND_TRIP_ALLOWANCE_MS;
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(session.abandon(limitMs)), limitMs);
    });
    try {
      return await Promise.race([work, expired]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** States: reserving → in use → released, or broken when the connection failed or was given up. */
export class Session {
  readonly #client: Client;
  #connection: Reserved | null = null;
  #committing = false;
  broken = false;

  constructor(client: Client) {
    this.#client = client;
  }

  async run<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const connection = await this.#reserve();
    try {
      return await work(this);
    } finally {
      // A broken connection has already left the pool; putting it back would hand it to somebody.
      if (!this.broken) connection.release();
    }
  }

  /** Sends all, then waits for all. */
  async send(statements: readonly Statement[]): Promise<readonly (readonly SqlRow[])[]> {
    const connection = this.#connection;
    invariant(connection, "a session sends while it runs");
    this.#committing = statements.some(({ sql }) => sql === COMMIT.sql);
    try {
      return await Promise.all(
        statements.map(async (statement) => {
          const { sql, params } = dialect(statement);
          return (await connection.unsafe(sql, [...params], { prepare: params.length > 0 })) as readonly SqlRow[];
        }),
      );
    } catch (error) {
      this.broken ||= isBroken(error);
      throw this.#fault(error);
    }
  }

  /** Several statements in one text, for migrations. */
  async script(text: string): Promise<void> {
    await this.send([{ sql: text, params: [] }]);
  }

  /** Ends a transaction that failed. When even that fails, the connection is given up and the server ends it. */
  async rollback(): Promise<void> {
    if (this.broken) return;
    try {
      await this.send([ROLLBACK]);
    } catch {
      this.broken = true;
    }
  }

  abandon(afterMs: number): Error {
    this.broken = true;
    return storeFault("store_unreachable", `The database did not answer within ${afterMs} ms.`, {
      facts: { waited_ms: afterMs },
      ...(this.#committing && { outcomeUnknown: true }),
    });
  }

  async #reserve(): Promise<Reserved> {
    try {
      this.#connection = await this.#client.reserve();
      return this.#connection;
    } catch (error) {
      this.broken = true;
      throw postgresFault(error);
    }
  }

  #fault(error: unknown): Error {
    invariant(!isBrokenGuard(error), "a guarded statement touched no row");
    return postgresFault(error, this.#committing);
  }
}

export const COMMIT: Statement = { sql: "COMMIT", params: [] };
const ROLLBACK: Statement = { sql: "ROLLBACK", params: [] };

const translated = new Map<string, string>();

function dialect({ sql, params, mustTouchOne }: Statement): Statement {
  if (params.length === 0) return { sql, params };
  const key = mustTouchOne ? `${sql} guarded` : sql;
  let text = translated.get(key);
  if (text === undefined) {
    let number = 0;
    const numbered = sql.replace(/\?/g, () => `$${(number += 1)}`);
    // The check travels with the statement: the commit is on its way before any answer comes back.
    text = mustTouchOne ? `WITH touched AS (${numbered} RETURNING 1) SELECT 1 / count(*) FROM touched` : numbered;
    translated.set(key, text);
  }
  return { sql: text, params };
}

function connect({ url, schema, budgetMs, maxConnections }: DatabaseOptions): Client {
  const numberType = { to: 20, from: [20], parse: Number, serialize: String };
  return postgres(url, {
    max: maxConnections,
    idle_timeout: 60,
    connect_timeout: Math.ceil(budgetMs / 1000),
    onnotice: () => undefined,
    types: { bigint: numberType },
    connection: {
      application_name: "talking-stick",
      search_path: schema,
      synchronous_commit: "on",
      lock_timeout: budgetMs,
      statement_timeout: budgetMs,
      idle_in_transaction_session_timeout: Math.ceil(budgetMs * IDLE_SHARE),
    },
  }) as Client;
}

function endNow(client: Client): void {
  // Nobody waits for a client that nobody uses; what its last connection says no longer matters.
  client.end({ timeout: 0 }).catch(() => undefined);
}
