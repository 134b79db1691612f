/**
 * Sessions on the connections of this process, and the rings that one of these connections hears.
 *
 * A session has one connection to itself. Every session has a deadline, because a server that vanished silently would
 * otherwise block it until stopped. A session whose time is over gives its connection up.
 *
 *   deaf ──a listener comes──▶ hearing ──its connection is lost──▶ deaf, and tries again
 */
import { invariant } from "../../core/invariant.ts";
import { raw, type SqlRow, type Statement } from "../sql/statement.ts";
import type { PostgresConnection } from "./connection.ts";
import { stillRefused, storeFault } from "./faults.ts";
import { type Checkout, ConnectionPool, type PoolOptions } from "./pool.ts";
import { SILENT_NEXT } from "./sql-states.ts";

export type DatabaseOptions = PoolOptions;

/** Beyond the server's own limits, for the way there and back. */
const ROUND_TRIP_ALLOWANCE_MS = 2000;

export type PostgresSession = Pick<PostgresConnection, "send" | "script" | "rollback">;

type Work<T> = (session: PostgresSession) => Promise<T>;

export interface RingListener {
  heard(payload: string): void;
  /** Rings may have been missed. */
  missed(): void;
  isNeeded(): boolean;
}

/** Until a connection that heard rings is tried again: at first, and at most. */
const HEAR_AGAIN_MS = { first: 250, longest: 30_000 } as const;

export class Database {
  readonly options: DatabaseOptions;
  readonly #pool: ConnectionPool;
  readonly #listeners = new Set<RingListener>();
  #hearing: PostgresConnection | null = null;
  #beginning: Promise<boolean> | null = null;
  #isOpen = true;

  constructor(options: DatabaseOptions) {
    invariant(/^[a-z_][a-z0-9_]{0,62}$/.test(options.schema), "a schema's name needs no quotes");
    this.options = options;
    this.#pool = new ConnectionPool(options, {
      onNotify: (payload) => this.#listeners.forEach((listener) => listener.heard(payload)),
      onLost: (connection) => this.#lost(connection),
      isKept: (connection) => connection === this.#hearing && this.#isHearingNeeded(),
    });
  }

  /** The channel that its listeners hear. */
  get channel(): string {
    return `${this.options.schema}_bell`;
  }

  get isHearing(): boolean {
    return this.#hearing !== null;
  }

  /** Whether a pooler stood before the server when a connection was opened last. */
  get isPooled(): boolean {
    return this.#pool.isPooled;
  }

  /** `work` may run twice, the first time on a connection that turned out to be dead. */
  session<T>(work: Work<T>): Promise<T> {
    return this.#session(work);
  }

  /** One statement on its own. */
  query(statement: Statement): Promise<readonly SqlRow[]> {
    return this.session(async (session) => {
      const [rows = []] = await session.send([statement]);
      return rows;
    });
  }

  /** Resolves when its rings are heard, or cannot be heard at the moment. */
  async listen(listener: RingListener): Promise<void> {
    this.#listeners.add(listener);
    await this.#hears(HEAR_AGAIN_MS.first);
  }

  unlisten(listener: RingListener): void {
    this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#pool.close();
  }

  async #session<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    invariant(this.#isOpen, "the store is closed");
    const limitMs = this.options.budgetMs + ROUND_TRIP_ALLOWANCE_MS;
    const checkout: Checkout = { connection: null, expired: false, refusal: null };
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        checkout.expired = true;
        const { connection, refusal } = checkout;
        const fault = refusal ? stillRefused(refusal, limitMs) : unanswered(limitMs, connection);
        if (connection) this.#pool.drop(connection);
        reject(fault);
      }, limitMs);
    });
    try {
      return await Promise.race([this.#run(work, checkout), expired]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #run<T>(work: (connection: PostgresConnection) => Promise<T>, checkout: Checkout): Promise<T> {
    for (;;) {
      const { connection, isNew } = await this.#pool.take(checkout);
      checkout.connection = connection;
      checkout.refusal = null;
      try {
        invariant(!checkout.expired, "nobody waits for this session any more");
        return await work(connection);
      } catch (error) {
        // The connection died while it was idle, or before anything was decided. Another one may do.
        if (isNew || connection.alive || connection.committing || checkout.expired || !this.#isOpen) throw error;
      } finally {
        checkout.connection = null;
        this.#pool.release(connection);
      }
    }
  }

  #isHearingNeeded(): boolean {
    return this.#isOpen && [...this.#listeners].some((listener) => listener.isNeeded());
  }

  #lost(connection: PostgresConnection): void {
    if (connection !== this.#hearing) return;
    this.#hearing = null;
    void this.#hearAgain(HEAR_AGAIN_MS.first);
  }

  /** If nothing can be heard now, it is tried again after a while. */
  async #hears(retryMs: number): Promise<boolean> {
    try {
      // However many ask, it begins once.
      this.#beginning ??= this.#beginHearing().finally(() => {
        this.#beginning = null;
      });
      return await this.#beginning;
    } catch {
      // Rings only make things faster: a process that cannot hear them looks more often.
      const { jitter = () => 1 } = this.options;
      const again = setTimeout(() => void this.#hearAgain(retryMs * 2), retryMs * (0.5 + jitter() / 2));
      again.unref();
      return false;
    }
  }

  async #hearAgain(retryMs: number): Promise<void> {
    if (this.#hearing || !this.#isHearingNeeded()) return;
    const hears = await this.#hears(Math.min(retryMs, HEAR_AGAIN_MS.longest));
    if (hears) for (const listener of this.#listeners) listener.missed();
  }

  async #beginHearing(): Promise<boolean> {
    if (this.#hearing) return true;
    return this.#session(async (connection) => {
      // A pooler hands no ring on.
      if (connection.way.route === "pooled") return false;
      await connection.send([raw(`LISTEN ${this.channel}`)]);
      if (!connection.alive) throw new Error("the connection was lost");
      this.#hearing = connection;
      return true;
    });
  }
}

function unanswered(waitedMs: number, connection: PostgresConnection | null) {
  return storeFault("store_unreachable", `The database did not answer within ${waitedMs} ms.`, {
    next: SILENT_NEXT,
    facts: { waited_ms: waitedMs },
    ...(connection?.committing && { outcomeUnknown: true }),
  });
}
