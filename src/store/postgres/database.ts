/**
 * A few connections, shared by everything this process does with the store.
 *
 * A session has one connection to itself. Every session has a deadline, because a server that vanished without
 * a word would otherwise be waited for without end; a session whose time is over gives its connection up.
 */
import { invariant } from "../../core/invariant.ts";
import { raw, type SqlRow, type Statement } from "../sql/statement.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { storeFault } from "./faults.ts";

export interface DatabaseOptions extends ConnectionOptions {
  readonly maxConnections: number;
}

/** Beyond the server's own limits, for the way there and back. */
const ROUND_TRIP_ALLOWANCE_MS = 2000;
const ROLLBACK = raw("ROLLBACK");

export interface Session {
  send(statements: readonly Statement[]): Promise<readonly (readonly SqlRow[])[]>;
  /** Several statements in one text, for migrations. */
  script(text: string): Promise<void>;
  /** Ends a transaction that failed. When even that fails, the connection is given up and the server ends it. */
  rollback(): Promise<void>;
}

type Work<T> = (session: Session) => Promise<T>;

/** What a session has, and whether its caller has given it up. */
interface Given {
  connection: Connection | null;
  up: boolean;
  /** Lets the next session have this one's turn; null before it has one, and after. */
  passOn: (() => void) | null;
}

export class Database {
  readonly options: DatabaseOptions;
  readonly #idle: Connection[] = [];
  readonly #busy = new Set<Connection>();
  readonly #waiting: (() => void)[] = [];
  #slots: number;
  #open = true;

  constructor(options: DatabaseOptions) {
    invariant(/^[a-z_][a-z0-9_]{0,62}$/.test(options.schema), "a schema's name needs no quotes");
    this.options = options;
    this.#slots = options.maxConnections;
  }

  /** `work` may run twice, the first time on a connection that turned out to be dead. */
  async session<T>(work: Work<T>): Promise<T> {
    invariant(this.#open, "the store is closed");
    const limitMs = this.options.budgetMs + ROUND_TRIP_ALLOWANCE_MS;
    const given: Given = { connection: null, up: false, passOn: null };
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        given.up = true;
        given.connection?.close();
        // Its work may never come to an end.
        given.passOn?.();
        reject(unanswered(limitMs, given.connection?.committing ?? false));
      }, limitMs);
    });
    try {
      return await Promise.race([this.#run(work, given), expired]);
    } finally {
      clearTimeout(timer);
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
    for (const connection of [...this.#idle, ...this.#busy]) connection.close();
  }

  async #run<T>(work: Work<T>, given: Given): Promise<T> {
    await this.#slot(given);
    try {
      const idle = this.#takeIdle();
      if (idle) {
        try {
          return await this.#runOn(idle, work, given);
        } catch (error) {
          // It died while nobody used it, or before anything was decided: that is no reason to fail.
          if (idle.alive || idle.committing || given.up) throw error;
        }
      }
      return await this.#runOn(await Connection.open(this.options), work, given);
    } finally {
      given.passOn?.();
    }
  }

  async #runOn<T>(connection: Connection, work: Work<T>, given: Given): Promise<T> {
    given.connection = connection;
    this.#busy.add(connection);
    try {
      invariant(!given.up, "nobody waits for this session any more");
      return await work(sessionOn(connection));
    } finally {
      this.#busy.delete(connection);
      if (!this.#open) connection.close();
      if (connection.alive) this.#idle.push(connection);
    }
  }

  /** Waits for a turn when all connections are in use. */
  async #slot(given: Given): Promise<void> {
    while (this.#slots === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#slots -= 1;
    given.passOn = () => {
      given.passOn = null;
      this.#slots += 1;
      this.#waiting.shift()?.();
    };
    if (given.up) given.passOn();
  }

  #takeIdle(): Connection | null {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) if (idle.alive) return idle;
    return null;
  }
}

function sessionOn(connection: Connection): Session {
  return {
    send: (statements) => connection.send(statements),
    script: async (text) => {
      await connection.send([raw(text)]);
    },
    rollback: async () => {
      if (!connection.alive) return;
      try {
        await connection.send([ROLLBACK]);
      } catch {
        connection.close();
      }
    },
  };
}

function unanswered(waitedMs: number, committing: boolean) {
  return storeFault("store_unreachable", `The database did not answer within ${waitedMs} ms.`, {
    facts: { waited_ms: waitedMs },
    ...(committing && { outcomeUnknown: true }),
  });
}
