/**
 * The one waiter. Every call that waits for something runs through it.
 *
 *   listening ──▶ looking ──found──▶ found
 *       ▲            │ nothing yet, or the store failed for the moment
 *       │            ▼
 *       │         asleep ──rang, or stirred──▶ looking
 *       │            ├── cancel ──────────────▶ cancelled        the caller gives its place up
 *       │            ├── enough ──────────────▶ enough           the caller keeps its place
 *       │            └── until has passed ────▶ looking once more ──▶ time_up
 *       └── a look learned that the caller has another name now
 *   Before each look: the caller's harness is gone ──▶ session_ended
 *
 * It subscribes before it looks, so that no ring is lost between the two. A ring may be lost anyway, and a process may
 * die without one, so the waiter wakes every two seconds. It sleeps on without a look if the store's change mark is the
 * same, the processes that matter live, and the machine has not slept. After half a minute it looks in any case. If it
 * cannot hear rings, it compares the mark as often as the bell asks for.
 *
 * A temporary fault ends no wait: the waiter looks again after a while. Only a fault of the last look is thrown. A wait
 * without a caller also goes on if its bell cannot be heard. It tries to listen again before each look.
 */
import { Fault } from "../core/fault.ts";
import type { AgentId } from "../core/ids.ts";
import type { ProcessRef } from "../core/process.ts";
import type { Refusal } from "../core/refusal.ts";
import { type Deadline, elapsedMs, type Instant } from "../core/time.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { sessionEnded } from "../session/rules/retirement.ts";
import type { Deps } from "./deps.ts";
import { isOrphaned } from "./is-orphaned.ts";
import type { NextOptions, Subscription, WakeReason } from "./ports/bell.ts";

/**
 * How long a waiter sleeps before it looks at the mark and at processes. A lost ring delays it by this much at most.
 */
export const SLOW_LOOK_MS = 2000;
/** If time alone changes something that no look foresaw, the waiter finds it within this time. */
const CAREFUL_LOOK_MS = 30_000;

/** Why a look is made. `stirred`: nothing rang, but time has passed, or something was committed somewhere. */
export type LookReason = "first" | "rang" | "stirred";

export interface WaitFor<Found> {
  /** Whose bell to listen to; without it, none. */
  readonly name?: AgentId | "all";
  readonly look: (reason: LookReason) => Promise<Look<Found>>;
  /** Without it, the wait lasts until it is cancelled. */
  readonly until?: Deadline;
  readonly cancel?: AbortSignal | undefined;
  readonly enough?: AbortSignal | undefined;
  /** The wait ends when the harness of this caller is gone: nobody would see its answer. */
  readonly caller?: Caller | null;
  /** For changes that the store's mark does not show: look this often. */
  readonly everyMs?: number;
  /** False: the process may end before. */
  readonly keepsAlive?: boolean;
}

export type Look<Found> = { readonly found: Found } | NothingYet;

interface NothingYet {
  /** When time alone may change what a look sees. */
  readonly changesInMs?: number;
  /** The name that the caller has now. The waiter listens to that bell and looks again at once. */
  readonly name?: AgentId | "all";
  /** The store's change mark from just before the look, if the look has it. */
  readonly mark?: string | undefined;
  /** Processes whose death is worth a look. */
  readonly decisive?: readonly ProcessRef[];
}

export const NOTHING_YET: Look<never> = {};

export type WaitEnd<Found> =
  | { readonly found: Found }
  | { readonly end: "time_up" | "cancelled" | "enough" }
  | { readonly end: "session_ended"; readonly refusal: Refusal<"session_ended"> };

export async function waitUntil<Found>(deps: Deps, wait: WaitFor<Found>): Promise<WaitEnd<Found>> {
  const { caller = null, cancel, enough } = wait;
  const time = new WaitTime(deps, wait.until);
  const signal = cancel && enough ? AbortSignal.any([cancel, enough]) : (cancel ?? enough);
  let { name } = wait;
  let hasLooked = false;
  let bell = await listenTo(deps, name, caller);
  const letGo = deps.hosts?.hold();
  try {
    for (let reason: LookReason = "first"; ; ) {
      if (caller && isOrphaned(deps, caller))
        return { end: "session_ended", refusal: sessionEnded(caller.agentId, caller.sessionId) };
      const isLast = time.leftMs() <= 0;
      // A caller whose first look fails learns of it at once: it has waited for nothing yet.
      const tellsFaults = isLast || (caller !== null && !hasLooked);
      const seen = await lookOnce(deps, wait, reason, tellsFaults);
      hasLooked = true;
      if ("found" in seen) return seen;
      if (seen.name !== undefined && seen.name !== name) {
        name = seen.name;
        bell.close();
        bell = await listenTo(deps, name, caller);
        reason = "first";
        continue;
      }
      if (isLast) return { end: "time_up" };
      const woken = await new Sleep(deps, wait, bell, time).until(seen, signal);
      if (woken === "aborted") return { end: cancel?.aborted ? "cancelled" : "enough" };
      if (bell === UNHEARD) bell = await listenTo(deps, name, caller);
      reason = woken;
    }
  } finally {
    letGo?.();
    bell.close();
  }
}

type Seen = NothingYet & { readonly failed?: true };

async function lookOnce<Found>(
  { store }: Deps,
  { look, everyMs }: WaitFor<Found>,
  reason: LookReason,
  tellsFaults: boolean,
): Promise<{ readonly found: Found } | Seen> {
  try {
    // Read the mark before the look: a commit in between then shows as a difference. After a ring, look first.
    const mark = reason === "stirred" && everyMs === undefined ? await store.changeMark() : undefined;
    const seen = await look(reason);
    return "found" in seen ? seen : { ...seen, mark: seen.mark ?? mark };
  } catch (error) {
    if (!tellsFaults && error instanceof Fault && error.retry) return { changesInMs: SLOW_LOOK_MS, failed: true };
    throw error;
  }
}

/** How much of the wait is left. Naps count too, because a clock may tell the time in coarse steps. */
class WaitTime {
  readonly #deps: Deps;
  readonly #forMs: number;
  readonly #since: Deadline;
  #sleptMs = 0;

  constructor(deps: Deps, until: Deadline | undefined) {
    this.#deps = deps;
    this.#since = deps.clock.now().instant;
    this.#forMs = until === undefined ? Number.POSITIVE_INFINITY : -elapsedMs(until, this.#since);
  }

  /**
   * A caller that has just read the clock gives `now`: the clock is a file, and reading it takes longer than the rest.
   */
  spentMs(now: Instant = this.#deps.clock.now().instant): number {
    return Math.max(this.#sleptMs, elapsedMs(this.#since, now));
  }

  leftMs(now?: Instant): number {
    return this.#forMs - this.spentMs(now);
  }

  slept(ms: number): void {
    this.#sleptMs += ms;
  }
}

class Sleep {
  readonly #deps: Deps;
  readonly #bell: Subscription;
  readonly #time: WaitTime;
  readonly #caller: Caller | null;
  readonly #looksAnyway: boolean;
  readonly #napMs: number;
  readonly #options: NextOptions;

  constructor(
    deps: Deps,
    { caller = null, everyMs, keepsAlive }: WaitFor<unknown>,
    bell: Subscription,
    time: WaitTime,
  ) {
    this.#deps = deps;
    this.#bell = bell;
    this.#time = time;
    this.#caller = caller;
    this.#looksAnyway = everyMs !== undefined;
    this.#options = keepsAlive === undefined ? {} : { keepsAlive };
    const isDeaf = bell.lookEveryMs < SLOW_LOOK_MS;
    this.#napMs = everyMs ?? Math.min(SLOW_LOOK_MS, bell.lookEveryMs);
    if (isDeaf && everyMs !== undefined) this.#napMs = Math.min(everyMs, SLOW_LOOK_MS);
  }

  /** Resolves when the bell rang, when another look is worth it, or when aborted. */
  async until(seen: Seen, signal: AbortSignal | undefined): Promise<"rang" | "stirred" | "aborted"> {
    const { suspendedMs, instant } = this.#deps.clock.now();
    const beganMs = this.#time.spentMs(instant);
    const longestMs = this.#looksAnyway ? this.#napMs : CAREFUL_LOOK_MS;
    const wakesInMs = Math.min(seen.changesInMs ?? Number.POSITIVE_INFINITY, longestMs, this.#time.leftMs(instant));
    let unprobedMs = 0;
    for (let restMs = wakesInMs; ; restMs = wakesInMs - (this.#time.spentMs() - beganMs)) {
      if (signal?.aborted) return "aborted";
      if (restMs <= 0) return "stirred";
      const napMs = Math.min(restMs, this.#napMs);
      const woken: WakeReason = await this.#bell.next(napMs, signal, this.#options);
      if (woken !== "timeout") return woken;
      this.#time.slept(napMs);
      unprobedMs += napMs;
      if (this.#looksAnyway || seen.failed) continue;
      if (await this.#hasChanged(seen.mark)) return "stirred";
      if (unprobedMs < SLOW_LOOK_MS) continue;
      unprobedMs = 0;
      if (this.#deps.clock.now().suspendedMs !== suspendedMs || this.#hasDied(seen.decisive)) return "stirred";
    }
  }

  async #hasChanged(mark: string | undefined): Promise<boolean> {
    try {
      return mark === undefined || (await this.#deps.store.changeMark()) !== mark;
    } catch (error) {
      if (error instanceof Fault && error.retry) return true;
      throw error;
    }
  }

  #hasDied(processes: readonly ProcessRef[] = []): boolean {
    if (this.#caller && isOrphaned(this.#deps, this.#caller)) return true;
    return processes.some((process) => this.#deps.probe.verdict(process) === "gone");
  }
}

/** Longer timers would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** For a wait that nobody can ring for. */
const SILENCE: Subscription = {
  lookEveryMs: SLOW_LOOK_MS,
  close: () => undefined,
  next: (timeoutMs, signal, { keepsAlive = true } = {}) =>
    new Promise((resolve) => {
      const over = (reason: WakeReason) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        resolve(reason);
      };
      const abort = () => over("aborted");
      const timer = setTimeout(() => over("timeout"), Math.min(timeoutMs, LONGEST_TIMER_MS));
      if (!keepsAlive) timer.unref();
      signal?.addEventListener("abort", abort);
    }),
};

/** A bell that cannot be heard at the moment. The waiter looks as often as any other that hears no rings. */
const UNHEARD: Subscription = { ...SILENCE, lookEveryMs: 500 };

/** If the bell cannot be heard, a caller gets the fault. A wait without a caller tries again later. */
async function listenTo(
  { bell }: Deps,
  name: AgentId | "all" | undefined,
  caller: Caller | null,
): Promise<Subscription> {
  if (name === undefined) return SILENCE;
  try {
    return await bell.subscribe(name);
  } catch (error) {
    if (caller === null && error instanceof Fault) return UNHEARD;
    throw error;
  }
}
