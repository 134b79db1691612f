/**
 * The operations as a page calls them: the same as on the command line, in the name of the person who started the
 * server, with the turns that this person's commands know. A page that may only look changes nothing.
 */
import { Fault } from "../../core/fault.ts";
import type { RawInput } from "../../core/field.ts";
import type { Next } from "../../core/next.ts";
import { isRefusal, type Refusal, refuse } from "../../core/refusal.ts";
import type { Deps } from "../../engine/deps.ts";
import type { InFlight } from "../../engine/in-flight.ts";
import type { Call, Operation } from "../../engine/operation.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import { callerOf } from "../../session/rules/identity.ts";
import type { CliContext } from "../cli/context.ts";
import { callOf, doorOf, type Known } from "../cli/form.ts";
import { Refused } from "../cli/granted.ts";
import { type Door, perform } from "../door.ts";
import { OPERATIONS } from "../operations.ts";
import type { OpenStore, PageStore } from "./page-store.ts";

/** Where the caller must prove who it is, a page has nothing to show: its server knows who started it. */
export function isForPages({ needs }: Pick<Operation, "needs">): boolean {
  return needs.caller !== "identified";
}

/** Looking needs no name. Whatever is done in a caller's name may change something, such as files of the project. */
export function onlyLooks({ needs }: Pick<Operation, "needs">): boolean {
  return needs.store === "read" && needs.caller === "anyone";
}

export const PAGE_OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  OPERATIONS.filter(isForPages).map((operation) => [operation.name, operation]),
);

/** An answer on its way out, with the mail in it. */
export interface PageAnswer {
  readonly isRefused: boolean;
  readonly body: object;
  readonly mail: InFlight | null;
}

interface CallsOptions {
  readonly context: CliContext;
  readonly store: PageStore;
  readonly person: Caller | null;
  /** Why pages may only look; null if they may act. */
  readonly readOnly: string | null;
}

export class PageCalls {
  readonly #options: CallsOptions;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  async answer(operation: Operation, input: RawInput, cancel: AbortSignal): Promise<PageAnswer> {
    const { context, store, readOnly } = this.#options;
    if (readOnly !== null && !onlyLooks(operation)) return this.#refused(mayOnlyLook(readOnly));
    const known: Known = { caller: null, identification: null, deps: null, taken: null };
    let open: OpenStore | null = null;
    try {
      open = await store.open();
      const door = this.#doorFor(operation, known, open.deps);
      const answer = await perform(operation, door, input, this.#callFor(known, cancel));
      if (isRefusal(answer)) return this.#refused(answer, known);
      const { next } = answer as { readonly next?: Next };
      const body = { ...answer, ...(next !== undefined && { next: context.wordsOf(next) }) };
      return { isRefused: false, body, mail: known.taken };
    } catch (error) {
      // If this fails, too, the mail comes again when its time in flight has passed. The first error is the one to tell.
      await known.taken?.giveBack().catch(() => undefined);
      if (error instanceof Refused) return this.#refused(error.refusal);
      if (open?.closed.aborted) return failed(wentAway());
      if (!(error instanceof Fault)) throw error;
      if (open) await store.failed(open, error);
      return failed(error);
    }
  }

  #refused(refusal: Refusal, { taken = null }: Partial<Known> = {}): PageAnswer {
    const { error, message, facts } = refusal;
    return {
      isRefused: true,
      body: { error, message, next: this.#options.context.nextOf(refusal), facts },
      mail: taken,
    };
  }

  #doorFor(operation: Operation, known: Known, deps: Deps): Door {
    const { context, person } = this.#options;
    return {
      ...doorOf(context, operation.needs.store, known),
      deps: async () => (known.deps = deps),
      // An agent that started the server reads here as nobody.
      caller: async () => (known.caller = person && (await this.#callerNow(deps, person))),
    };
  }

  /** With the evidence about the process, as commands have it. */
  async #callerNow(deps: Deps, person: Caller): Promise<Caller> {
    const { identity, facts } = await this.#options.context.identificationWith(deps);
    return isRefusal(identity) ? person : callerOf(identity, facts);
  }

  #callFor(known: Known, cancel: AbortSignal): Call {
    const { turns, heard, entered } = callOf(this.#options.context, known, () => undefined);
    return {
      cancel,
      transport: "page",
      afterOutput: (mail) => void (known.taken = mail),
      ...(turns && { turns }),
      ...(heard && { heard }),
      ...(entered && { entered }),
    };
  }
}

function mayOnlyLook(why: string): Refusal {
  return refuse(
    "not_authorized",
    `This page may only look. ${why}`,
    "Use the command line, or start tt ui as a person.",
    {},
  );
}

function failed({ code, message, next, outcomeUnknown, facts }: Fault): PageAnswer {
  const told = { ...facts, ...(outcomeUnknown && { outcome_unknown: true }) };
  return { isRefused: true, body: { error: code, message, next, facts: told }, mail: null };
}

function wentAway(): Fault {
  return new Fault("store_unreachable", "The store went away meanwhile. Whether this was done is not known.", {
    next: "Look at the log when the store is back, before you do it again.",
    retry: false,
    outcomeUnknown: true,
  });
}
