/**
 * Faults: the world failed. Thrown, coded, with a cause, and caught once per surface. `retry` says whether
 * the same call may succeed later without anybody doing anything. `outcomeUnknown` is true when the store
 * broke down while committing: the change may or may not have happened, and a look tells which.
 */
import { shellWord } from "./shell-word.ts";

export const FAULT_CODES = [
  "store_busy",
  "store_full",
  "store_readonly",
  "store_corrupt",
  "store_too_new",
  "store_unsafe",
  "store_unreachable",
] as const;

export type FaultCode = (typeof FAULT_CODES)[number];

/** Inside a harness, if no permissions explain why the store may not be written: the caller runs in its sandbox. */
export const SANDBOX_NEXT =
  "Use the MCP tools, or run `tt install` outside the sandbox: it adds the store's directory to the writable roots. A read-only sandbox has none.";

/** For people: the installation tells hooks and servers the new place. */
export const ELSEWHERE_NEXT = "Set TT_DATA_DIR to a directory of your own on a local disk, then run tt install.";

/**
 * Inside a harness, in place of advice that only a person may follow: to move or remove files, or to set TT_DATA_DIR. An
 * agent that sets it would use another store than its MCP server.
 */
export const ASK_PERSON_NEXT = "Ask the person you work for to run tt doctor.";

export interface FaultDetails {
  readonly next: string;
  /** What a command that runs inside a harness can do, if that differs. */
  readonly nextInHarness?: string;
  readonly retry: boolean;
  readonly outcomeUnknown?: boolean;
  readonly facts?: Readonly<Record<string, string | number | boolean | null | readonly (string | number)[]>>;
  readonly cause?: unknown;
}

/** Each bundle holds its own copy of this class, so a fault is known by this mark and not by its constructor. */
const MARK = Symbol.for("talking-stick.fault");

export class Fault extends Error {
  override readonly name = "Fault";
  readonly [MARK] = true;
  readonly code: FaultCode;
  readonly next: string;
  readonly nextInHarness: string;
  readonly retry: boolean;
  readonly outcomeUnknown: boolean;
  readonly facts: NonNullable<FaultDetails["facts"]>;

  constructor(code: FaultCode, message: string, details: FaultDetails) {
    super(message, { cause: details.cause });
    this.code = code;
    this.next = details.next;
    this.nextInHarness = details.nextInHarness ?? (code === "store_corrupt" ? ASK_PERSON_NEXT : details.next);
    this.retry = details.retry;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
    this.facts = details.facts ?? {};
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && MARK in value;
  }
}

/** A path that this process may not write, or a directory that it may not enter. */
export interface ForbiddenPath {
  readonly path: string;
  /** As the system says it: EACCES, EPERM or EROFS. */
  readonly cause: string;
  /** Whether the permissions of the path explain it. A sandbox forbids more than they tell. */
  readonly byPermissions: boolean;
  readonly isDirectory: boolean;
  /** Only its owner can change its permissions. */
  readonly isOwn: boolean;
  /** Further files of the same store that lack the same rights. */
  readonly others?: readonly string[];
}

export function readOnlyFault(forbidden: ForbiddenPath, details: Pick<FaultDetails, "facts" | "cause"> = {}): Fault {
  const { path, cause } = forbidden;
  return new Fault("store_readonly", `${path} may not be written by this process (${cause}).`, {
    ...adviceAbout(forbidden),
    retry: false,
    cause: details.cause,
    facts: { path, cause, ...details.facts },
  });
}

function adviceAbout(forbidden: ForbiddenPath): Pick<FaultDetails, "next" | "nextInHarness"> {
  const { path, byPermissions, isDirectory, isOwn, others = [] } = forbidden;
  if (!byPermissions) return { next: ELSEWHERE_NEXT, nextInHarness: SANDBOX_NEXT };
  if (!isOwn) return { next: ELSEWHERE_NEXT, nextInHarness: ASK_PERSON_NEXT };
  const paths = [path, ...others].map(shellWord).join(" ");
  const repair = `chmod ${isDirectory ? "u+rwx" : "u+rw"} ${paths}`;
  const onPurpose = "If this is on purpose, set TT_DATA_DIR to another directory, then run tt install.";
  return { next: `${onPurpose} If not, run: ${repair}`, nextInHarness: `Run: ${repair}` };
}
