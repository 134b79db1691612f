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
export const ASK_SERVER: Statement = sql`SELECT pg_backend_pid() AS pid,
    current_setting('server_version_num') AS server_version_num, current_setting('server_version') AS server_version,
    current_setting('server_encoding') AS server_encoding, current_setting('search_path') AS search_path,
    current_setting('synchronous_commit') AS synchronous_commit`;

const OLDEST_VERSION = 130_000;

/**
 * Judges the answer to `ASK_SERVER`. `announcedPid` is the server process that the connection began with: a pooler announces
 * a number of its own.
 */
export function judgeServer(row: SqlRow | undefined, announcedPid: number, { schema }: SettingsOptions): Route {
  const of = (name: string) => String(row?.[name]);
  if (Number(of("server_version_num")) < OLDEST_VERSION)
    throw unusable(
      "server_version_num",
      of("server_version_num"),
      `The server has PostgreSQL ${of("server_version")}.`,
    );
  if (of("server_encoding") !== "UTF8")
    throw unusable("server_encoding", of("server_encoding"), `The database has the encoding ${of("server_encoding")}.`);
  if (Number(row?.["pid"]) !== announcedPid) return "pooled";
  for (const [name, isOurs] of [
    ["search_path", of("search_path") === schema],
    ["synchronous_commit", of("synchronous_commit") !== "off"],
  ] as const) {
    if (isOurs) continue;
    throw storeFault("store_unsafe", `The setting ${name} of this connection is ${of(name)}, not the store's own.`, {
      next: `Remove ${name} from the address of the store: TT_STORE, or store in config.json.`,
      facts: { setting: name, value: of(name) },
    });
  }
  return "direct";
}

function unusable(setting: string, value: string, message: string) {
  return storeFault("store_unsafe", message, { facts: { setting, value } });
}
