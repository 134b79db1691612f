/** PostgreSQL's error codes, and those of a connection that broke, as faults. */
import { InvariantError } from "../../domain/invariant.ts";
import { Fault, type FaultCode } from "../../ports/fault.ts";

const NEXT: Readonly<Record<FaultCode, string>> = {
  store_busy: "Try again in a moment; if it stays so, look at what holds locks on the server.",
  store_full: "Free some disk space on the database server; the store goes on by itself when there is room.",
  store_readonly: "Connect to the primary server, with a role that may write to the store's schema.",
  store_corrupt: "Stop using this store and restore the database from a backup.",
  store_too_new:
    "A newer tt has upgraded the store. Update this program, or restart the client whose server still runs the older one.",
  store_unsafe: "Use a PostgreSQL server of version 13 or newer with UTF-8 encoding.",
  store_unreachable: "Look whether the database server runs and can be reached, then try again.",
};

const MAY_PASS: ReadonlySet<FaultCode> = new Set(["store_busy", "store_full", "store_unreachable"]);

/** By SQLSTATE, or by its first two characters where the whole class means the same. */
const BY_STATE: Readonly<Record<string, FaultCode>> = {
  "55P03": "store_busy", // lock_not_available
  "57014": "store_busy", // query_canceled: the statement's time was over
  "25P03": "store_busy", // idle_in_transaction_session_timeout
  "0A000": "store_busy", // feature_not_supported: a prepared statement from before a migration
  "25P02": "store_busy", // in_failed_sql_transaction: what came before it was such a statement
  "40": "store_busy", // serialization failures and deadlocks
  "53300": "store_busy", // too_many_connections
  "53100": "store_full", // disk_full
  "25006": "store_readonly", // read_only_sql_transaction
  "42501": "store_readonly", // insufficient_privilege
  XX001: "store_corrupt", // data_corrupted
  XX002: "store_corrupt", // index_corrupted
  // Our statements are fixed texts that fit our schema, so a refused one means that schema or rows are not ours.
  "22": "store_corrupt",
  "23": "store_corrupt",
  "42": "store_corrupt",
  "3F": "store_corrupt",
};

/** Nobody comes to be let in by waiting: wrong credentials, no such database. */
const PERMANENT = /^(28|3D)/;

/** Conflicts between transactions: the same change, decided again, may well succeed. */
const CONFLICT = /^(23505|40001|40P01)$/;

export function storeFault(
  code: FaultCode,
  message: string,
  details: Partial<ConstructorParameters<typeof Fault>[2]> = {},
) {
  return new Fault(code, message, { next: NEXT[code], retry: MAY_PASS.has(code), ...details });
}

/** `committing`: the failure came after a commit had been sent, so nobody knows whether it happened. */
export function postgresFault(error: unknown, committing = false): Error {
  if (error instanceof Fault || error instanceof InvariantError) return error;
  const state = sqlState(error);
  const reason = error instanceof Error ? error.message : String(error);
  if (isDistrusted(error)) return distrusted(reason, error);
  const code = state === null ? "store_unreachable" : faultCode(state);
  const outcomeUnknown = committing && isBroken(error);
  return storeFault(code, `The database failed: ${reason}.`, {
    cause: error,
    ...(state !== null && { facts: { sqlstate: state } }),
    ...(state !== null && PERMANENT.test(state) && { retry: false }),
    ...(outcomeUnknown && { outcomeUnknown }),
  });
}

/** The codes of TLS for a certificate that is not accepted. */
const DISTRUSTED =
  /^(ERR_TLS_CERT|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

function isDistrusted(error: unknown): boolean {
  return error instanceof Error && DISTRUSTED.test(String((error as { readonly code?: unknown }).code));
}

function distrusted(reason: string, cause: unknown): Fault {
  return storeFault("store_unsafe", `The certificate of the database server is not accepted: ${reason}.`, {
    next: "Give the server's authority with sslrootcert=FILE in the address, and the host by a name in its certificate.",
    cause,
  });
}

function faultCode(state: string): FaultCode {
  return BY_STATE[state] ?? BY_STATE[state.slice(0, 2)] ?? "store_unreachable";
}

export function isConflict(error: unknown): boolean {
  return CONFLICT.test(sqlState(error) ?? "") || isOutdatedPlan(error);
}

/**
 * A statement that the connection has prepared, and whose columns have other types since another build's migration. The
 * driver prepares it anew by itself, which fails inside a transaction; then the first that is heard of it is the failure
 * of the statements behind it.
 */
export function isOutdatedPlan(error: unknown): boolean {
  const state = sqlState(error);
  if (state === "25P02") return true;
  return state === "0A000" && (error as { routine?: unknown }).routine === "RevalidateCachedQuery";
}

/** A guarded statement that touched no row divides by their number; see together.ts. */
export function isBrokenGuard(error: unknown): boolean {
  return sqlState(error) === "22012";
}

/** Whether the connection is gone or soon will be: the server said so as its last word, or nothing came from it. */
export function isBroken(error: unknown): boolean {
  if (sqlState(error) === null) return true;
  return /^(FATAL|PANIC)$/.test(String((error as { severity?: unknown }).severity));
}

const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * Null for errors that did not come from the server. It is told by what only a server says, and not by the name of the
 * driver's class, which is another one when its code has been minified.
 */
export function sqlState(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown };
  return typeof severity === "string" && typeof code === "string" && SQLSTATE.test(code) ? code : null;
}
