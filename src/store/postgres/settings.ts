/**
 * The settings that every statement of ours runs with. A connection that goes straight to the server gets them when it
 * begins. A pooler refuses them there or keeps them to itself, so behind one every transaction sets its own.
 */
import { type SqlRow, type Statement, sql } from "../sql/statement.ts";
import { storeFault } from "./faults.ts";
import { literal } from "./literals.ts";

/** How a connection reaches the server. `pooled`: the next transaction may run on another connection of the server. */
export type Route = "direct" | "pooled";

export interface SettingsOptions {
  readonly schema: string;
  /** How long one statement may wait for locks. */
  readonly budgetMs: number;
}

/** The server ends an idle transaction before those that wait for its locks give up. */
const IDLE_SHARE = 0.5;
/** How long a statement may take once it has its locks. */
const AFTER_LOCK_MS = 1000;

export function settingsOf({ schema, budgetMs }: SettingsOptions) {
  return {
    search_path: schema,
    synchronous_commit: "on",
    lock_timeout: budgetMs,
    statement_timeout: budgetMs + AFTER_LOCK_MS,
    idle_in_transaction_session_timeout: Math.ceil(budgetMs * IDLE_SHARE),
    // Compiling a statement takes up to a second; ours read a few rows.
    jit: "off",
  };
}

/** A statement that makes the settings hold until the transaction ends. */
export function setInTransaction(options: SettingsOptions): string {
  const settings = Object.entries(settingsOf(options)).map(
    ([name, value]) => `set_config('${name}', ${literal(String(value))}, true)`,
  );
  return `SELECT ${settings.join(", ")}`;
}

/** What a new connection asks first. */
export const ASK_SERVER: Statement = sql`SELECT pg_backend_pid() AS pid, pg_is_in_recovery() AS is_standby,
    current_setting('server_version_num') AS server_version_num, current_setting('server_version') AS server_version,
    current_setting('server_encoding') AS server_encoding, current_setting('search_path') AS search_path,
    current_setting('client_encoding') AS client_encoding,
    current_setting('synchronous_commit') AS synchronous_commit`;

const OLDEST_VERSION = 130_000;

/** Judges the answer to `ASK_SERVER`, however the connection reaches the server. */
export function judgeServer(row: SqlRow | undefined): void {
  const version = settingIn(row, "server_version_num");
  if (Number(version) < OLDEST_VERSION)
    throw unusable("server_version_num", version, `The server has PostgreSQL ${settingIn(row, "server_version")}.`);
  const encoding = settingIn(row, "server_encoding");
  if (encoding !== "UTF8") throw unusable("server_encoding", encoding, `The database has the encoding ${encoding}.`);
  // A pooler hands this one on. The texts of statements are written in UTF-8.
  refuseOther(row, "client_encoding", (value) => value === "UTF8");
}

/** `announcedPid` is the server process that the connection began with: a pooler announces a number of its own. */
export function routeIn(row: SqlRow | undefined, announcedPid: number): Route {
  return Number(row?.["pid"]) === announcedPid ? "direct" : "pooled";
}

/** Whether a direct connection has the settings that it was opened with: the address may override them. */
export function judgeSettings(row: SqlRow | undefined, { schema }: SettingsOptions): void {
  refuseOther(row, "search_path", (value) => value === schema);
  refuseOther(row, "synchronous_commit", (value) => value !== "off");
}

function settingIn(row: SqlRow | undefined, name: string): string {
  return String(row?.[name]);
}

function refuseOther(row: SqlRow | undefined, name: string, isOurs: (value: string) => boolean): void {
  const value = settingIn(row, name);
  if (isOurs(value)) return;
  throw storeFault("store_unsafe", `The setting ${name} of this connection is ${value}, not the store's own.`, {
    next: `Remove ${name} from the address of the store: TT_STORE, or store in config.json.`,
    facts: { setting: name, value },
  });
}

function unusable(setting: string, value: string, message: string) {
  return storeFault("store_unsafe", message, { facts: { setting, value } });
}
