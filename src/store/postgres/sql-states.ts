/**
 * What each SQLSTATE means for a store. The whole code counts first, then its class, the first two characters. Only if the
 * server itself reports damaged data is a backup to be restored.
 */
import type { FaultCode } from "../../core/fault.ts";

export interface Meaning {
  readonly code: FaultCode;
  /** What to do, where the usual advice for the code does not fit. */
  readonly next?: string;
  /** Whether the same call may succeed later, where the usual answer of the code does not fit. */
  readonly retry?: boolean;
}

/** The usual advice for each code. */
export const POSTGRES_NEXT: Readonly<Record<FaultCode, string>> = {
  store_busy: "Try again in a moment. If this persists, look at what holds locks on the server.",
  store_full: "Free some disk space on the database server. The store continues by itself when there is room.",
  store_readonly: "Connect to the primary server, with a role that may write to the store's schema.",
  store_corrupt: "Stop using this store and restore the database from a backup.",
  store_too_new:
    "A newer tt has upgraded the store. Update this program, or restart the client whose server still runs the older one.",
  store_unsafe: "Use a PostgreSQL server of version 13 or newer with UTF-8 encoding.",
  store_unreachable: "Check that the database server runs and can be reached, then try again.",
};

const CONNECTIONS_NEXT =
  "Try again in a moment. If this persists, end programs that hold connections, raise max_connections (or the limit of the role or the database) on the server, or put a pooler such as pgbouncer before it.";
const FULL_POOL_NEXT =
  "Try again in a moment. If this persists, raise max_client_conn or default_pool_size of the pooler, or max_connections of the server.";
const LIMIT_NEXT = "Try again in a moment. If this persists, the server needs more memory or a higher limit.";
const CONFLICT_NEXT = "Try again: other processes changed the same rows at the same time.";
const ROLE_NEXT = "Connect with a role that may create, read and write the store's schema.";
const PASSWORD_NEXT =
  "Correct the user or the password in the address of the store: TT_STORE, or store in config.json. A password that has expired is refused in the same way: look at VALID UNTIL of the role.";
const ENCRYPTION_NEXT =
  "The server accepts encrypted connections only. Add sslmode=verify-full to the address of the store: TT_STORE, or store in config.json.";
const CONNECT_NEXT = "Let the role connect: GRANT CONNECT ON DATABASE … TO …. Or connect with another role.";
const ADDRESS_NEXT =
  "Correct the user, the password, the database or the parameters in the address of the store: TT_STORE, or store in config.json.";
export const SCHEMA_NEXT =
  "Check whether the store's schema was dropped or changed, or belongs to another program. Then start this program again.";
const POOLER_NEXT =
  "A pooler stands before the server and does not keep one connection for each client. Use its session mode or connect directly.";
const STARTUP_NEXT =
  "A pooler stands before the server and refuses a parameter in the address of the store. Remove it there (TT_STORE, or store in config.json), or list it in ignore_startup_parameters of the pooler.";
const POOLED_READ_ONLY_NEXT =
  "Connect to the primary server. If it is one, another program may have made a connection of the pooler read-only: set server_reset_query_always = 1 in the settings of the pooler.";
export const SILENT_NEXT =
  "Check that the database server runs and can be reached, and that a pooler before it has a free connection (default_pool_size), then try again.";
const LOG_NEXT = "Look into the log of the database server for the reason, then try again.";

const BUSY: Meaning = { code: "store_busy" };
const ABSENT: Meaning = { code: "store_unreachable" };
const READ_ONLY: Meaning = { code: "store_readonly" };
const WRONG_ADDRESS: Meaning = { code: "store_unreachable", next: ADDRESS_NEXT, retry: false };
const NOT_OUR_SCHEMA: Meaning = { code: "store_unsafe", next: SCHEMA_NEXT };
const POOLER: Meaning = { code: "store_unsafe", next: POOLER_NEXT };
const ASK_THE_LOG: Meaning = { code: "store_unreachable", next: LOG_NEXT };

export const WITHOUT_TLS: Meaning = {
  code: "store_unreachable",
  next: "The server may not offer encryption: set ssl = on there, with a certificate. On a network that you trust, leave sslmode out of the address.",
};

export const UNKNOWN_HOST: Meaning = {
  code: "store_unreachable",
  next: "Check the host in the address of the store (TT_STORE, or store in config.json), then try again.",
};

const MEANINGS: Readonly<Record<string, Meaning>> = {
  "08": ABSENT, // connection exceptions
  "0A": { code: "store_unsafe" }, // feature_not_supported
  "23505": { code: "store_busy", next: CONFLICT_NEXT }, // unique_violation: the same row was created at the same time
  "25006": READ_ONLY, // read_only_sql_transaction: a standby, or a server that was made read-only
  "25P02": { code: "store_busy", next: CONFLICT_NEXT }, // in_failed_sql_transaction: see isOutdatedPlan
  "25P03": BUSY, // idle_in_transaction_session_timeout
  "25P04": BUSY, // transaction_timeout
  "26000": POOLER, // invalid_sql_statement_name: a prepared statement of another connection
  "28": WRONG_ADDRESS, // invalid authorization: role, pg_hba.conf
  "28P01": { code: "store_unreachable", next: PASSWORD_NEXT, retry: false }, // invalid_password
  "3D": WRONG_ADDRESS, // invalid_catalog_name: no such database
  "3F": NOT_OUR_SCHEMA, // invalid_schema_name
  "40": BUSY, // serialization failures and deadlocks
  "42501": { code: "store_readonly", next: ROLE_NEXT }, // insufficient_privilege
  "42703": NOT_OUR_SCHEMA, // undefined_column
  "42710": NOT_OUR_SCHEMA, // duplicate_object
  "42809": NOT_OUR_SCHEMA, // wrong_object_type: a view, for example
  "42883": { code: "store_unsafe" }, // undefined_function: an old server, or one of another kind
  "42P01": NOT_OUR_SCHEMA, // undefined_table
  "42P05": POOLER, // duplicate_prepared_statement
  "42P07": NOT_OUR_SCHEMA, // duplicate_table: the schema has tables, and they are not ours
  "53": { code: "store_busy", next: LIMIT_NEXT }, // out of memory and other resources
  "53100": { code: "store_full" }, // disk_full
  "53300": { code: "store_busy", next: CONNECTIONS_NEXT }, // too_many_connections
  "55": BUSY, // object not in the required state: lock_not_available, object_in_use
  "57": ABSENT, // operator intervention: shutdown, crash, starting up
  "57014": BUSY, // query_canceled: the statement's time was over
  "58": ASK_THE_LOG, // system errors, such as io_error
  F0: ASK_THE_LOG, // config_file_error
  XX: ASK_THE_LOG, // internal errors of the server
  XX001: { code: "store_corrupt" }, // data_corrupted
  XX002: { code: "store_corrupt" }, // index_corrupted
};

/** The word is the protocol's, and poolers do not translate it. */
export function isAboutStartup(words: string): boolean {
  return /startup/i.test(words);
}

/** pgbouncer has no code for this. */
export function isAboutFullPool(words: string): boolean {
  return /no more connections allowed|query_wait_timeout/.test(words);
}

interface Details {
  /** The server ended the connection with it. */
  readonly fatal: boolean;
  readonly words: string;
  readonly pooled: boolean;
}

/** A code that is not listed is about the content of a statement, and so a bug. */
export function meaningOfState(state: string, { fatal, words, pooled }: Details): Meaning | "bug" {
  // A standby that accepts no connections does not become a primary by waiting.
  if (state === "57P03" && /standby/i.test(words)) return READ_ONLY;
  // Before any statement of ours: the database is not for this role.
  if (state === "42501" && fatal) return { code: "store_unreachable", next: CONNECT_NEXT, retry: false };
  if (state === "28000" && /no encryption|SSL off/.test(words))
    return { code: "store_unreachable", next: ENCRYPTION_NEXT, retry: false };
  // Compilers of statements came with version 11.
  if (state === "42704" && fatal && words.includes('"jit"')) return { code: "store_unsafe" };
  // pgbouncer uses this code for any trouble of its own.
  if (state === "08P01" && isAboutStartup(words)) return { code: "store_unsafe", next: STARTUP_NEXT };
  if (state === "08P01" && isAboutFullPool(words)) return { code: "store_busy", next: FULL_POOL_NEXT };
  // What another client of the pooler set stays on the server's connection.
  if (state === "25006" && pooled) return { code: "store_readonly", next: POOLED_READ_ONLY_NEXT };
  const meaning = MEANINGS[state] ?? MEANINGS[state.slice(0, 2)];
  if (meaning) return meaning;
  // Before any statement of ours, the server can refuse only the address.
  return fatal ? WRONG_ADDRESS : "bug";
}
