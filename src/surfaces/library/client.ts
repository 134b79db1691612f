/**
 * What the objects of one participant share: its use cases, its signs of life, and what must end before the store closes.
 * A call of the program is a sign of life; a stream that only waits is none.
 */
import { type Next, wordNext } from "../../core/next.ts";
import type { OperationName } from "../../core/operation-names.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { elapsedMs, type Instant } from "../../core/time.ts";
import type { Deps } from "../../engine/deps.ts";
import { ignoringFaults } from "../../engine/ignoring-faults.ts";
import type { InFlight } from "../../engine/in-flight.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import { type Door, perform } from "../door.ts";
import { OPERATIONS } from "../operations.ts";
import { callFor, NOT_BY_NAME } from "./call-for.ts";
import { orThrow, TalkingStickError } from "./error.ts";
import { createTalkingStick, type TalkingStick } from "./talking-stick.ts";

const isByName = (name: OperationName) => !(NOT_BY_NAME as readonly OperationName[]).includes(name);

const OFFERED = OPERATIONS.filter(({ name }) => isByName(name));

export interface Opened {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly directory: string;
}

export class Client {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly directory: string;
  readonly stick: TalkingStick;
  readonly #closing = new AbortController();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #background = new Set<Promise<void>>();
  readonly #endings = new Set<() => Promise<void>>();
  #calls = 0;
  #lastCall: Instant;
  #closed: Promise<void> | null = null;

  constructor({ deps, caller, directory }: Opened) {
    this.deps = deps;
    this.caller = caller;
    this.directory = directory;
    this.stick = createTalkingStick(deps, caller, directory);
    this.#lastCall = deps.clock.now().instant;
  }

  /** A call of the program. */
  async call<Answer>(work: () => Promise<Answer | Refusal>): Promise<Answer> {
    this.#calls += 1;
    try {
      return await this.step(work);
    } finally {
      this.#calls -= 1;
      this.#lastCall = this.deps.clock.now().instant;
    }
  }

  /** A call that ends early when the program says so, or closes the participant. */
  waitingCall<Answer>(
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Answer | Refusal>,
    isComplete: (answer: Answer) => boolean,
  ): Promise<Answer> {
    return this.call(async () => {
      const either = this.until(signal);
      either.throwIfAborted();
      const answer = await work(either);
      if (!isRefusal(answer) && !isComplete(answer)) either.throwIfAborted();
      return answer;
    });
  }

  /** One step of a stream. */
  async step<Answer>(work: () => Promise<Answer | Refusal>): Promise<Answer> {
    this.#closing.signal.throwIfAborted();
    const answer = orThrow(async () => worded(await work()));
    this.#pending.add(answer);
    try {
      return await answer;
    } finally {
      this.#pending.delete(answer);
    }
  }

  /** Aborts when the program says so, and when the participant is closed. */
  until(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([this.#closing.signal, signal]) : this.#closing.signal;
  }

  /** Any operation by its name. Mail that comes with the answer counts as read with it. */
  perform(name: string, input: Readonly<Record<string, unknown>>): Promise<object> {
    return this.call(async () => {
      const { deps, caller, directory } = this;
      const operation = OFFERED.find((known) => known.name === name);
      if (!operation) throw new TalkingStickError("invalid_input", notByName(name));
      const door: Door = { directory, deps: async () => deps, caller: async () => caller };
      const taken: InFlight[] = [];
      const call = { cancel: this.until(undefined), afterOutput: (mail: InFlight) => void taken.push(mail) };
      try {
        const answer = await perform(operation, door, input, call);
        for (const mail of taken) await mail.confirm();
        return answer;
      } catch (error) {
        for (const mail of taken) await ignoringFaults(() => mail.giveBack());
        throw error;
      }
    });
  }

  /** Whether the program has made a call lately, or is in one. */
  isActive(withinMs: number): boolean {
    return this.#calls > 0 || elapsedMs(this.#lastCall, this.deps.clock.now().instant) < withinMs;
  }

  /** Runs when the participant is closed, unless the returned function was called before. */
  beforeClosing(end: () => Promise<void>): () => void {
    this.#endings.add(end);
    return () => void this.#endings.delete(end);
  }

  /** Ends by itself before the store closes. */
  background(work: Promise<void>): void {
    this.#background.add(work);
    void work.finally(() => this.#background.delete(work));
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#end());
  }

  async #end(): Promise<void> {
    this.#closing.abort(new TalkingStickError("participant_closed", CLOSED));
    await Promise.allSettled(this.#pending);
    const ended = await Promise.allSettled([...this.#endings].map((end) => end()));
    await Promise.allSettled(this.#background);
    await this.deps.bell.close();
    await this.deps.store.close();
    for (const end of ended) if (end.status === "rejected") throw end.reason;
  }
}

/** The answer with what to do next in the words of a program. */
function worded<Answer>(answer: Answer): Answer {
  const { next } = Object(answer) as { readonly next?: Next };
  if (typeof next === "string" || next === undefined || isRefusal(answer)) return answer;
  return { ...answer, next: wordNext(next, callFor, "server") };
}

const CLOSED: Omit<Refusal, "error"> = {
  message: "The participant is closed.",
  next: "Open it again: openTalkingStick().",
  facts: {},
};

function notByName(name: string): Omit<Refusal, "error"> {
  const facts = { field: "operation" };
  const other = NOT_BY_NAME.find((known) => known === name);
  if (other)
    return { message: `A program does not call ${other} by its name.`, next: `Use ${callFor({ do: other })}.`, facts };
  const names = OFFERED.map((known) => known.name).join(", ");
  return { message: `There is no operation ${JSON.stringify(name)}.`, next: `Use one of ${names}.`, facts };
}
