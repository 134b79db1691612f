/** What the libraries throw: one class for an expected no and for a fault of the store. */
import { Fault, type FaultCode } from "../../core/fault.ts";
import { wordNext } from "../../core/next.ts";
import { isRefusal, type Refusal, type RefusalCode } from "../../core/refusal.ts";
import { callFor } from "./call-for.ts";

/** `takeover_available`: the holder of the stick is gone. The last two: the object was closed before the call. */
export type TalkingStickErrorCode =
  | RefusalCode
  | FaultCode
  | "takeover_available"
  | "participant_closed"
  | "mailbox_closed";

/** Each bundle holds its own copy of this class, so an error is known by this mark and not by its constructor. */
const MARK = Symbol.for("talking-stick.error");

/** Why a call was refused or failed. */
export class TalkingStickError extends Error {
  override readonly name = "TalkingStickError";
  readonly [MARK] = true;
  readonly code: TalkingStickErrorCode;
  /** What led to it, in the names of the wire (`current_owner`). */
  readonly facts: Readonly<Record<string, unknown>>;
  /** What to do now, in a sentence; calls are those of this library. */
  readonly next: string;
  /** Whether the same call may succeed later without any change. */
  readonly retry: boolean;
  /** The store broke down while committing: only a look tells whether the change happened. */
  readonly outcomeUnknown: boolean;

  constructor(code: TalkingStickErrorCode, problem: Omit<Refusal, "error"> | Fault) {
    super(problem.message, problem instanceof Fault ? { cause: problem } : undefined);
    this.code = code;
    this.facts = problem.facts;
    this.next = wordNext(problem.next, callFor, "server");
    this.retry = problem instanceof Fault && problem.retry;
    this.outcomeUnknown = problem instanceof Fault && problem.outcomeUnknown;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && MARK in value;
  }
}

/** The answer; a refusal or a fault is thrown. */
export async function orThrow<Answer>(work: () => Promise<Answer | Refusal>): Promise<Answer> {
  try {
    const answer = await work();
    if (isRefusal(answer)) throw new TalkingStickError(answer.error, answer);
    return answer;
  } catch (error) {
    throw error instanceof Fault ? new TalkingStickError(error.code, error) : error;
  }
}
