/** PostgreSQL's error codes, and those of a broken connection, as faults. */

import { Fault, type FaultCode, type FaultDetails } from "../../core/fault.ts";
import { InvariantError } from "../../core/invariant.ts";
import {
  isAboutFullPool,
  isAboutStartup,
  type Meaning,
  meaningOfState,
  POSTGRES_NEXT,
  UNKNOWN_HOST,
  WITHOUT_TLS,
} from "./sql-states.ts";

const MAY_PASS: ReadonlySet<FaultCode> = new Set(["store_busy", "store_full", "store_unreachable"]);

/** Conflicts between transactions: the same change, decided again, may succeed. */
const CONFLICT = /^(23505|40001|40P01)$/;

/** The driver's own codes for a call that it does not understand. */
const MISUSE = /^(UNDEFINED_VALUE|NOT_TAGGED_CALL|MAX_PARAMETERS_EXCEEDED|UNSAFE_TRANSACTION)$/;

export function storeFault(code: FaultCode, message: string, details: Partial<FaultDetails> = {}): Fault {
  return new Fault(code, message, { next: POSTGRES_NEXT[code], retry: MAY_PASS.has(code), ...details });
}

interface Circumstances {
  /** The failure came after a commit had been sent, so its outcome is unknown. */
  readonly committing?: boolean;
  /** A pooler stands before the server. */
  readonly pooled?: boolean;
}

/**
 * A statement that the server
 * refuses for its content is a bug of this program, and no proof that the data is damaged.
 */
export function postgresFault(error: unknown, { committing = false, pooled = false }: Circumstances = {}): Error {
  if (error instanceof Fault || error instanceof InvariantError) return error;
  const state = sqlState(error);
  const reason = error instanceof Error ? error.message : String(error);
  if (isDistrusted(error)) return distrusted(reason, error);
  const meaning = state === null ? meaningOfConnection(error) : meaningOfState(state, { ...detailsOf(error), pooled });
  if (meaning === "bug") {
    const code = state ?? String((error as { code?: unknown }).code);
    return new InvariantError(`the database refused a statement: ${reason} (${code})`, { cause: error });
  }
  const { code, next, retry } = meaning;
  const outcomeUnknown = committing && isBroken(error);
  return storeFault(code, `The database failed: ${reason}.`, {
    cause: error,
    ...(state !== null && { facts: { sqlstate: state } }),
    ...(next !== undefined && { next }),
    ...(retry !== undefined && { retry }),
    ...(outcomeUnknown && { outcomeUnknown }),
  });
}

/** The codes of TLS for a certificate that is not accepted. */
const DISTRUSTED =
  /^(ERR_TLS_CERT|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

/** Node's words for a server that ends the connection instead of encrypting it. */
const BEFORE_TLS = /before secure TLS connection/;

const OUT_OF_TIME = /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/;

function isDistrusted(error: unknown): boolean {
  return error instanceof Error && DISTRUSTED.test(String((error as { readonly code?: unknown }).code));
}

function distrusted(reason: string, cause: unknown): Fault {
  const isAboutTime = OUT_OF_TIME.test(String((cause as { readonly code?: unknown }).code));
  return storeFault("store_unsafe", `The certificate of the database server is not accepted: ${reason}.`, {
    next: isAboutTime
      ? "Renew the certificate on the server, and check the clock of this machine."
      : "Give the server's authority with sslrootcert=FILE in the address, and the host by a name in its certificate.",
    cause,
  });
}

function meaningOfConnection(error: unknown): Meaning | "bug" {
  const code = String((error as { code?: unknown } | null)?.code);
  if (MISUSE.test(code)) return "bug";
  if (error instanceof Error && BEFORE_TLS.test(error.message)) return WITHOUT_TLS;
  return code === "ENOTFOUND" ? UNKNOWN_HOST : { code: "store_unreachable" };
}

/** A pooler refuses settings that a connection begins with. */
export function isRefusedSetting(error: unknown): boolean {
  return sqlState(error) === "08P01" && isAboutStartup((error as Error).message);
}

/** Whether the server, or the pooler before it, has no connection left for this one. */
export function isFull(error: unknown): boolean {
  const cause = error instanceof Fault ? error.cause : error;
  const state = sqlState(cause);
  return state === "53300" || (state === "08P01" && isAboutFullPool((cause as Error).message));
}

/** After waiting for a connection. */
export function stillRefused(refusal: Error, waitedMs: number): Error {
  const reason = refusal.cause instanceof Error ? refusal.cause.message : refusal.message;
  const { code = "store_busy", facts = {}, next } = refusal as Partial<Fault>;
  const why = isFull(refusal) ? "had no free connection" : "accepted no changes";
  return storeFault(code, `The database ${why} for ${waitedMs} ms: ${reason.replace(/\.$/, "")}.`, {
    cause: refusal.cause,
    facts: { ...facts, waited_ms: waitedMs },
    ...(next !== undefined && { next }),
  });
}

function detailsOf(error: unknown): { readonly fatal: boolean; readonly words: string } {
  const { message, detail = "" } = error as { message: string; detail?: string };
  return { fatal: isLastWord(error), words: `${message} ${detail}` };
}

export function isConflict(error: unknown): boolean {
  return CONFLICT.test(sqlState(error) ?? "") || isOutdatedPlan(error);
}

/**
 * A prepared statement whose columns have other types since another build's migration. The driver prepares it again by
 * itself, which fails inside a transaction; then only the failure of the statements behind it is reported.
 */
export function isOutdatedPlan(error: unknown): boolean {
  const state = sqlState(error);
  if (state === "25P02") return true;
  return state === "0A000" && (error as { routine?: unknown }).routine === "RevalidateCachedQuery";
}

export function isMissingTable(error: unknown): boolean {
  return sqlState(error) === "42P01";
}

/** A guarded statement that touched no row divides by their number; see together.ts. */
export function isBrokenGuard(error: unknown): boolean {
  return sqlState(error) === "22012";
}

/** Whether the connection is lost or soon will be: the server ended it with this error, or did not answer at all. */
export function isBroken(error: unknown): boolean {
  return sqlState(error) === null || isLastWord(error);
}

function isLastWord(error: unknown): boolean {
  const severity = severityOf(error);
  return severity === "FATAL" || severity === "PANIC";
}

/** A server sends it twice, once translated; a pooler sends only the field for the translation, in English. */
function severityOf(error: unknown): unknown {
  const { severity, severity_local: local } = (error ?? {}) as { severity?: unknown; severity_local?: unknown };
  return severity ?? local;
}

const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * Null for errors that did not come from the server. They are recognised by fields that only a server sends, not by the
 * name of the driver's class, which differs in minified code.
 */
export function sqlState(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code } = error as { readonly code?: unknown };
  return typeof severityOf(error) === "string" && typeof code === "string" && SQLSTATE.test(code) ? code : null;
}
