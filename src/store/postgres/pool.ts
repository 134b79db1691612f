/**
 * The few connections of a process. Opening one takes longer than most statements, so a session waits a moment for one in
 * use before it opens another. A connection that is not used is closed soon; one that hears rings is kept while it is
 * needed, and sessions prefer it. If the server has no connection left, or is a standby, a session tries again until its time is
 * over.
 */
import { invariant } from "../../core/invariant.ts";
import { type ConnectionOptions, PostgresConnection, type Way } from "./connection.ts";
import { storeFault } from "./faults.ts";
import { mayPassSoon } from "./servers-in-turn.ts";

export interface PoolOptions extends ConnectionOptions {
  readonly maxConnections: number;
  /** Random numbers from 0 to 1, so that waiting processes do not retry in step. */
  readonly jitter?: () => number;
}

export interface PoolEvents {
  onNotify(payload: string): void;
  onLost(connection: PostgresConnection): void;
  /** Whether the connection stays open without use. */
  isKept(connection: PostgresConnection): boolean;
}

/** One session's wish for a connection. */
export interface Checkout {
  connection: PostgresConnection | null;
  /** The caller waits no more. */
  expired: boolean;
  /** Why the server gave no connection, if a pause may help; null again once there is one. */
  refusal: Error | null;
}

/** Longer than most sessions take, and shorter than a wait for a lock that is worth a connection. */
const PATIENCE_MS = 50;
/** An agent that works calls every few seconds, and then not for minutes. */
const CLOSE_UNUSED_MS = 5000;
/** Between two attempts on a server that has no connection left, or is a standby. */
const REFUSED_PAUSE_MS = 400;

type Waiter = (connection: PostgresConnection | null) => void;

export class ConnectionPool {
  readonly #options: PoolOptions;
  readonly #events: PoolEvents;
  readonly #idle = new Map<PostgresConnection, NodeJS.Timeout>();
  /** In use, or being opened. */
  readonly #busy = new Set<PostgresConnection>();
  readonly #waiting: Waiter[] = [];
  #way: Way | null = null;
  #isOpen = true;

  constructor(options: PoolOptions, events: PoolEvents) {
    this.#options = options;
    this.#events = events;
  }

  get isPooled(): boolean {
    return this.#way?.route === "pooled";
  }

  /** `isNew`: it was opened for this session. */
  async take(checkout: Checkout): Promise<{ readonly connection: PostgresConnection; readonly isNew: boolean }> {
    for (let hasWaited = false; ; hasWaited = true) {
      if (!this.#isOpen) throw storeFault("store_unreachable", "The store was closed meanwhile.");
      invariant(!checkout.expired, "nobody waits for this session any more");
      const idle = this.#takeIdle();
      if (idle) return { connection: idle, isNew: false };
      const used = this.#busy.size;
      const mayOpen = used === 0 || (hasWaited && used < this.#options.maxConnections);
      if (mayOpen && (await this.#opens(checkout))) {
        invariant(checkout.connection, "what was opened is there");
        return { connection: checkout.connection, isNew: true };
      }
      const given = await this.#released(this.#patienceMs(checkout, hasWaited));
      if (given) return { connection: given, isNew: false };
    }
  }

  /** Gives a connection back. One that was dropped meanwhile is not taken back. */
  release(connection: PostgresConnection): void {
    if (!this.#busy.has(connection)) return;
    if (!connection.alive || !this.#isOpen) return this.drop(connection);
    const next = this.#waiting.shift();
    if (next) return next(connection);
    this.#busy.delete(connection);
    this.#rest(connection);
  }

  /** Closes a connection whose session may never end. */
  drop(connection: PostgresConnection): void {
    connection.close();
    if (this.#busy.delete(connection)) this.#waiting.shift()?.(null);
  }

  close(): void {
    this.#isOpen = false;
    for (const [connection, timer] of this.#idle) {
      clearTimeout(timer);
      connection.close();
    }
    this.#idle.clear();
    for (const connection of this.#busy) connection.close();
    for (const wake of this.#waiting.splice(0)) wake(null);
  }

  /** False if the server refuses, and a pause may help. */
  async #opens(checkout: Checkout): Promise<boolean> {
    const connection = new PostgresConnection(this.#options, {
      onNotify: (payload) => this.#events.onNotify(payload),
      onLost: () => {
        clearTimeout(this.#idle.get(connection));
        this.#idle.delete(connection);
        this.#events.onLost(connection);
      },
    });
    this.#busy.add(connection);
    checkout.connection = connection;
    try {
      await connection.open(this.#way);
      this.#way = connection.way;
      return true;
    } catch (error) {
      this.drop(connection);
      checkout.connection = null;
      if (!mayPassSoon(error)) throw error;
      checkout.refusal = error as Error;
      return false;
    }
  }

  /** Null until it has waited for long enough, which is until a connection is released if no other one may be opened. */
  #patienceMs({ refusal }: Checkout, hasWaited: boolean): number | null {
    const { jitter = () => 1, maxConnections } = this.#options;
    if (refusal) return REFUSED_PAUSE_MS * (0.5 + jitter() / 2);
    return hasWaited && this.#busy.size >= maxConnections ? null : PATIENCE_MS;
  }

  #released(patienceMs: number | null): Promise<PostgresConnection | null> {
    return new Promise((resolve) => {
      const wake: Waiter = (connection) => {
        clearTimeout(timer);
        resolve(connection);
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(wake), 1);
        resolve(null);
      };
      const timer = patienceMs === null ? undefined : setTimeout(giveUp, patienceMs);
      this.#waiting.push(wake);
    });
  }

  #rest(connection: PostgresConnection): void {
    const timer = setTimeout(() => {
      this.#idle.delete(connection);
      if (this.#events.isKept(connection)) this.#rest(connection);
      else connection.close();
    }, CLOSE_UNUSED_MS);
    timer.unref();
    this.#idle.set(connection, timer);
  }

  #takeIdle(): PostgresConnection | null {
    const idle = [...this.#idle.keys()];
    const connection = idle.find((each) => this.#events.isKept(each)) ?? idle.at(-1);
    if (!connection) return null;
    clearTimeout(this.#idle.get(connection));
    this.#idle.delete(connection);
    this.#busy.add(connection);
    return connection;
  }
}
