/**
 * A few connections, shared by everything this process does with the store.
 *
 * A session has one connection to itself. Every session has a deadline, because a server that vanished silently would
 * otherwise block it until stopped. A session whose time is over gives its connection up.
 */
import { invariant } from "../../core/invariant.ts";
import type { SqlRow, Statement } from "../sql/statement.ts";
import { type ConnectionOptions, PostgresConnection } from "./connection.ts";
import { storeFault } from "./faults.ts";

export interface DatabaseOptions extends ConnectionOptions {
  readonly maxConnections: number;
}

/** Beyond the server's own limits, for the way there and back. */
const ROUND_TRIP_ALLOWANCE_MS = 2000;

export type PostgresSession = Pick<PostgresConnection, "send" | "script" | "rollback">;

type Work<T> = (session: PostgresSession) => Promise<T>;

interface Checkout {
  connection: PostgresConnection | null;
  /** The caller waits no more. */
  expired: boolean;
  /** Gives the slot to the next session; null before it has one, and after. */
  passOn: (() => void) | null;
}

export class Database {
  readonly options: DatabaseOptions;
  readonly #idle: PostgresConnection[] = [];
  readonly #busy = new Set<PostgresConnection>();
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
    const checkout: Checkout = { connection: null, expired: false, passOn: null };
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        checkout.expired = true;
        checkout.connection?.close();
        // Its work may never end.
        checkout.passOn?.();
        reject(unanswered(limitMs, checkout.connection?.committing ?? false));
      }, limitMs);
    });
    try {
      return await Promise.race([this.#run(work, checkout), expired]);
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

  async #run<T>(work: Work<T>, checkout: Checkout): Promise<T> {
    await this.#slot(checkout);
    try {
      const idle = this.#takeIdle();
      if (idle) {
        try {
          return await this.#runOn(idle, work, checkout);
        } catch (error) {
          // The connection died while it was idle, or before anything was decided. Another one may do.
          if (idle.alive || idle.committing || checkout.expired) throw error;
        }
      }
      return await this.#runOn(await PostgresConnection.open(this.options), work, checkout);
    } finally {
      checkout.passOn?.();
    }
  }

  async #runOn<T>(connection: PostgresConnection, work: Work<T>, checkout: Checkout): Promise<T> {
    checkout.connection = connection;
    this.#busy.add(connection);
    try {
      invariant(!checkout.expired, "nobody waits for this session any more");
      return await work(connection);
    } finally {
      this.#busy.delete(connection);
      if (!this.#open) connection.close();
      if (connection.alive) this.#idle.push(connection);
    }
  }

  /** Waits for a slot when all connections are in use. */
  async #slot(checkout: Checkout): Promise<void> {
    while (this.#slots === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#slots -= 1;
    checkout.passOn = () => {
      checkout.passOn = null;
      this.#slots += 1;
      this.#waiting.shift()?.();
    };
    if (checkout.expired) checkout.passOn();
  }

  #takeIdle(): PostgresConnection | null {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) if (idle.alive) return idle;
    return null;
  }
}

function unanswered(waitedMs: number, committing: boolean) {
  return storeFault("store_unreachable", `The database did not answer within ${waitedMs} ms.`, {
    facts: { waited_ms: waitedMs },
    ...(committing && { outcomeUnknown: true }),
  });
}
