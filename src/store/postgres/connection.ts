/**
 * One connection to the store's schema. Statements of one call are sent together, without waiting for each other's
 * answers, so a batch costs one round trip. A connection that failed is closed and another one is opened: statements that
 * the driver had buffered for it must never reach a new one.
 */
import postgres from "postgres";
import { invariant } from "../../core/invariant.ts";
import { addressesOf } from "../../core/postgres-address.ts";
import { raw, type SqlRow, type Statement } from "../sql/statement.ts";
import { isBroken, isBrokenGuard, isOutdatedPlan, isRefusedSetting, postgresFault } from "./faults.ts";
import { withLiterals } from "./literals.ts";
import { judgeKind, reasonAmong, serversInTurn } from "./servers-in-turn.ts";
import {
  ASK_SERVER,
  judgeServer,
  judgeSettings,
  type Route,
  routeIn,
  type SettingsOptions,
  setInTransaction,
  settingsOf,
} from "./settings.ts";
import { driverAddress, type Server } from "./tls.ts";

export interface ConnectionOptions extends Server, SettingsOptions {
  /** From which of its runs on a connection a statement is prepared. To prepare one costs a round trip. */
  readonly preparedFromRun?: number;
}

/** How a connection reached the store. */
export interface Way {
  /** The address of its server alone. */
  readonly url: string;
  readonly route: Route;
}

export interface ConnectionEvents {
  onNotify(payload: string): void;
  /** It was open, and is not any more. */
  onLost(): void;
}

type Numbers = { bigint: number };

/** More often than a command repeats a statement. */
const PREPARED_FROM_RUN = 10;

/** It does not ask for write access: on a standby that would be an error of its own. */
export const BEGIN: Statement = raw("BEGIN ISOLATION LEVEL READ COMMITTED");
export const COMMIT: Statement = raw("COMMIT");
const ROLLBACK: Statement = raw("ROLLBACK");

export class PostgresConnection {
  readonly #options: ConnectionOptions;
  readonly #events: ConnectionEvents;
  #client: postgres.Sql<Numbers> | null = null;
  #reserved: postgres.ReservedSql<Numbers> | null = null;
  #route: Route = "direct";
  #url = "";
  #alive = true;
  #isGivenUp = false;
  /** The calls that wait for an answer. The driver forgets some of them when a connection is lost at the wrong moment. */
  readonly #waiting = new Set<(reason: Error) => void>();
  /** How often this connection has run each statement. */
  readonly #runs = new Map<string, number>();
  /** Whether the last batch held a commit, so that the outcome of a failure is unknown. */
  #committing = false;
  #inTransaction = false;

  constructor(options: ConnectionOptions, events: ConnectionEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** Tries the servers of the address one after the other. `known` is how an earlier connection of this process opened. */
  async open(known: Way | null): Promise<void> {
    const faults: Error[] = [];
    for (const url of serversInTurn(this.#options.url, known?.url)) {
      try {
        this.#url = url;
        return await this.#openAt(known?.url === url ? known.route : null);
      } catch (error) {
        faults.push(postgresFault(error));
        if (this.#isGivenUp) break;
      }
    }
    this.close();
    throw reasonAmong(faults);
  }

  async #openAt(known: Route | null): Promise<void> {
    // A pooler may be taken away while this process runs; then the settings can be sent again.
    if (known === "pooled" && (await this.#opensWithoutSettings()) === "pooled") return;
    if (await this.#opensWithSettings()) return;
    await this.#opensWithoutSettings();
    // It refused the settings, whatever it looks like.
    this.#route = "pooled";
  }

  get alive(): boolean {
    return this.#alive;
  }

  get committing(): boolean {
    return this.#committing;
  }

  get way(): Way {
    return { url: this.#url, route: this.#route };
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
      throw postgresFault(error, { committing: this.#committing, pooled: this.#route === "pooled" });
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
      await this.send([ROLLBACK]);
    } catch {
      this.close();
    }
  }

  /** False if a pooler refuses the settings. */
  async #opensWithSettings(): Promise<boolean> {
    try {
      const answer = await this.#connect(settingsOf(this.#options));
      if (this.#route === "direct") judgeSettings(answer, this.#options);
      return true;
    } catch (error) {
      if (!isRefusedSetting(error)) throw error;
      return false;
    }
  }

  async #opensWithoutSettings(): Promise<Route> {
    await this.#connect({});
    return this.#route;
  }

  /** Gives up a connection that was opened before. The answer is the one to `ASK_SERVER`. */
  async #connect(settings: Readonly<Record<string, string | number>>): Promise<SqlRow | undefined> {
    this.#endClient();
    this.#alive = !this.#isGivenUp;
    const client = clientFor({ ...this.#options, url: this.#url }, settings, this.#connectSeconds(), {
      onNotify: (payload) => this.#events.onNotify(payload),
      onClose: () => {
        // One that was given up is closed while the next one opens.
        if (client === this.#client) this.#lose();
      },
    });
    this.#client = client;
    // The driver reserves only a connection that is open, and a plain statement opens it.
    const answer = await this.#unlessLost(() => client.unsafe(ASK_SERVER.sql).execute());
    judgeKind(answer[0], this.#options.url);
    judgeServer(answer[0]);
    this.#route = routeIn(answer[0], announcedPid(answer));
    this.#reserved = await this.#unlessLost(() => client.reserve());
    return answer[0];
  }

  /** Several servers share the time, so that one that is silent leaves some to the next. */
  #connectSeconds(): number {
    const { url, budgetMs } = this.#options;
    return Math.ceil(budgetMs / 1000 / addressesOf(url).length);
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

  async #ask(reserved: postgres.ReservedSql<Numbers>, statement: Statement): Promise<readonly SqlRow[]> {
    try {
      if (this.#route === "pooled") return await this.#askPooler(reserved, statement);
      const { sql, params } = statement;
      const runs = (this.#runs.get(sql) ?? 0) + 1;
      this.#runs.set(sql, runs);
      const { preparedFromRun = PREPARED_FROM_RUN } = this.#options;
      const text = runs < preparedFromRun ? withLiterals(statement) : null;
      if (text !== null) return await reserved.unsafe(text);
      return await reserved.unsafe(withNumbers(sql), [...params], { prepare: params.length > 0 });
    } catch (error) {
      if (!statement.mayFail) throw error;
      if (isBroken(error)) this.close();
      return [];
    }
  }

  /** Sends the settings along, with the beginning of a transaction or with a statement that is one by itself. */
  async #askPooler(reserved: postgres.ReservedSql<Numbers>, statement: Statement): Promise<readonly SqlRow[]> {
    const text = withLiterals(statement);
    // The server refuses such a value, and says so.
    if (text === null) return await reserved.unsafe(withNumbers(statement.sql), [...statement.params]);
    const settings = setInTransaction(this.#options);
    if (statement === BEGIN) {
      this.#inTransaction = true;
      return await reserved.unsafe(`${text}; ${settings}`);
    }
    const isEnd = statement === COMMIT || statement === ROLLBACK;
    if (isEnd || this.#inTransaction) {
      if (isEnd) this.#inTransaction = false;
      return await reserved.unsafe(text);
    }
    const answers: readonly SqlRow[] | readonly (readonly SqlRow[])[] = await reserved.unsafe(`${settings}; ${text}`);
    const last = answers.at(-1);
    return Array.isArray(last) ? (last as readonly SqlRow[]) : [];
  }

  close(): void {
    this.#isGivenUp = true;
    this.#lose();
    this.#endClient();
  }

  #endClient(): void {
    // The outcome of closing an unused connection does not matter.
    this.#client?.end({ timeout: 0 }).catch(() => undefined);
  }

  #lose(): void {
    for (const reject of this.#waiting) reject(new Error("the connection was lost"));
    if (!this.#alive) return;
    this.#alive = false;
    if (this.#reserved) this.#events.onLost();
  }
}

interface ClientEvents {
  readonly onNotify: (payload: string) => void;
  readonly onClose: () => void;
}

function clientFor(
  server: Server,
  settings: Readonly<Record<string, string | number>>,
  connectSeconds: number,
  { onNotify, onClose }: ClientEvents,
): postgres.Sql<Numbers> {
  const { url, ...address } = driverAddress(server);
  // The driver's types do not say so, but every connection tells what it hears.
  const ears: object = { onnotify: (_channel: string, payload: string) => onNotify(payload) };
  return postgres(url, {
    ...address,
    ...ears,
    max: 1,
    max_lifetime: null,
    // The driver does not guard its statement for types: a connection lost during it would end the process.
    fetch_types: false,
    connect_timeout: connectSeconds,
    onclose: onClose,
    onnotice: () => undefined,
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
    connection: { application_name: "talking-stick", ...settings },
  }) as postgres.Sql<Numbers>;
}

/** The driver tells with each answer which process of the server the connection was told to be. */
function announcedPid(answer: unknown): number {
  return (answer as { readonly state: { readonly pid: number } }).state.pid;
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
