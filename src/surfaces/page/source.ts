/** Where the page's data come from: a server that runs, or a recording. Views know this alone. */
import type { PageAnswers, PageOperation } from "../wire/page-answers.ts";
import type { PageState } from "./page-state.ts";

export type PlainInput = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface PageSource {
  /** Immutable; another object after each change. */
  readonly state: () => PageState;
  /** Calls back after each change; returns what ends that. */
  readonly subscribe: (changed: () => void) => () => void;
  /** Runs an operation; input in the names of the wire. Rejects with `RefusedError` or `UnreachableError`. */
  readonly ask: <Name extends PageOperation>(name: Name, input: PlainInput) => Promise<PageAnswers[Name]>;
  /** Shows another room; null: the list of rooms. */
  readonly open: (roomId: string | null) => void;
  /** Loads older events of the room that is open, in front of those that are there. Resolves when they are there. */
  readonly loadOlder: () => Promise<void>;
}

/** The operation says no: `message` what and why, `next` what to do. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly code: string;
  readonly next: string;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(refusal: { code: string; message: string; next: string; facts: Readonly<Record<string, unknown>> }) {
    super(refusal.message);
    this.code = refusal.code;
    this.next = refusal.next;
    this.facts = refusal.facts;
  }
}

/** There is no answer: the server has ended, or the machine slept. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}
