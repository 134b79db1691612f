/**
 * Faults: the world failed. Thrown, coded, with a cause, and caught once per surface. `retry` says whether
 * the same call may succeed later without anybody doing anything. `outcomeUnknown` is true when the store
 * broke down while committing: the change may or may not have happened, and a look tells which.
 */
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

/** What a caller can do that may not write the store; it mostly runs in the sandbox of a harness. */
export const READ_ONLY_NEXT =
  "Use the MCP tools, or run `tt install` outside the sandbox: it adds the store's directory to the writable roots. A read-only sandbox has none.";

export interface FaultDetails {
  readonly next: string;
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
  readonly retry: boolean;
  readonly outcomeUnknown: boolean;
  readonly facts: NonNullable<FaultDetails["facts"]>;

  constructor(code: FaultCode, message: string, details: FaultDetails) {
    super(message, { cause: details.cause });
    this.code = code;
    this.next = details.next;
    this.retry = details.retry;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
    this.facts = details.facts ?? {};
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && MARK in value;
  }
}
