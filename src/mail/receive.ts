/**
 * Waiting for mail without polling: the call sleeps until its bell rings or until something in the mailbox becomes due
 * by time alone. While a reply is left to an ask, it looks now and then whether the asking process still lives.
 * While the store's mark stays the same and nothing is due, a look costs no read of the mailbox.
 */

import type { AgentId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { elapsedMs } from "../core/time.ts";
import { decodeInteger } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { unlessPassing } from "../engine/ignore-transient-fault.ts";
import { refuseLeftover } from "../engine/refuse-leftover.ts";
import { isOrphaned, refuseOrphan } from "../engine/refuse-orphan.ts";
import { renewLeases } from "../engine/renew-leases.ts";
import { SLOW_LOOK_MS, sleepUntilWorthLooking } from "../engine/sleep.ts";
import { adoptMail } from "../session/adopt-provisional.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { type Peeked, type PeekMessagesInput, peekMessages } from "./peek-messages.ts";
import { refuseSubagent } from "./refuse-subagent.ts";
import { decodeTake, type TakeMessagesInput, type TakenMessages, take, takeIfAny } from "./take-messages.ts";

export interface ReceiveInput extends TakeMessagesInput {
  /** How long to wait for a first message; without it, for as long as a wait may last. */
  readonly maxWaitMs?: number;
  readonly signal?: AbortSignal;
  /** True for the further calls of one stream: that it is open is no new sign of life of whoever opened it. */
  readonly goesOn?: boolean;
}

/** Resolves with the first messages, or with none when the time is up or the call was cancelled. */
export async function receiveMessages(
  deps: Deps,
  caller: Caller,
  input: ReceiveInput,
): Promise<TakenMessages | Refusal> {
  const refused = refuseSubagent(caller);
  if (refused) return refused;
  const command = await decodeTake(deps, input);
  if (isRefusal(command)) return command;
  // A session may end, or its harness be killed, while one of its processes waits.
  const look = async (again: boolean) =>
    refuseLeftover(deps, caller) ??
    refuseOrphan(deps, caller) ??
    (again ? takeIfAny(deps, caller, command) : take(deps, caller, command));
  const sight: Sight<TakenMessages | Refusal> = {
    look,
    isThere: (seen) => isRefusal(seen) || seen.answer.count > 0,
    dueOf: (seen) => (isRefusal(seen) ? 0 : seen.nextDueMs),
  };
  if (input.goesOn !== true) {
    await adoptMail(deps, caller);
    await renewLeases(deps, caller);
  }
  const awaiting = { ...input, bell: caller.agentId, isOrphaned: () => isOrphaned(deps, caller) };
  return untilThere(deps, awaiting, sight);
}

export interface AwaitPeekInput extends PeekMessagesInput {
  readonly maxWaitMs?: number;
  readonly signal?: AbortSignal;
}

/** The same for one who only looks. */
export async function awaitPeek(deps: Deps, caller: Caller, input: AwaitPeekInput): Promise<Peeked | Refusal> {
  const look = async () => refuseOrphan(deps, caller) ?? peekMessages(deps, caller, input);
  // A bell of one's own is a trace in the store; one who only looks leaves none. Nor does time alone bring anything
  // new into sight: what backs off is seen all the while.
  return untilThere(
    deps,
    { ...input, bell: "all", isOrphaned: () => isOrphaned(deps, caller) },
    { look, isThere: isSomething, dueOf: () => Number.POSITIVE_INFINITY },
  );
}

function isSomething(seen: Peeked | Refusal): boolean {
  return isRefusal(seen) || seen.count > 0;
}

interface Awaiting {
  /** Whose bell to listen to. */
  readonly bell: AgentId | "all";
  /** Whether nobody is left to be shown anything, so that the wait is to end. */
  readonly isOrphaned?: () => boolean;
  readonly maxWaitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Sight<Seen> {
  /** `again`: nobody rang, so there is probably nothing. */
  readonly look: (again: boolean) => Promise<Seen>;
  readonly isThere: (seen: Seen) => boolean;
  /** When time alone may bring something into sight. */
  readonly dueOf: (seen: Seen) => number;
}

async function untilThere<Seen>(
  deps: Deps,
  awaiting: Awaiting,
  { look, isThere, dueOf }: Sight<Seen>,
): Promise<Seen | Refusal> {
  const longest = LIMITS.waitMs;
  const maxWaitMs = decodeInteger("max_wait_ms", awaiting.maxWaitMs ?? longest, { min: 0, max: longest });
  if (isRefusal(maxWaitMs)) return maxWaitMs;
  const bell = await deps.bell.subscribe(awaiting.bell);
  try {
    const since = deps.clock.now().instant;
    for (let woken: "first" | "rang" | "stirred" = "first"; ; ) {
      const rung = woken === "rang" ? await unlessPassing(look(false)) : null;
      if (rung && isThere(rung)) return rung;
      // The mark before the look: a commit in between shows as a difference. Whom a ring was not for looks once more.
      const looked = await unlessPassing(lookAfterMark(deps, () => look(woken !== "first")));
      if (looked && isThere(looked.seen)) return looked.seen;
      // A store that cannot be reached for a while is looked at again after a while.
      const nextDueMs = looked ? dueOf(looked.seen) : SLOW_LOOK_MS;
      const mark = looked?.mark ?? "";
      const asleep = await sleepUntilChanged(deps, { ...awaiting, bell, nextDueMs, mark, since, maxWaitMs });
      if (asleep === "over") return looked ? looked.seen : await look(true);
      woken = asleep;
    }
  } finally {
    bell.close();
  }
}

interface Sleeping extends Omit<Awaiting, "bell"> {
  readonly bell: Awaited<ReturnType<Deps["bell"]["subscribe"]>>;
  readonly nextDueMs: number;
  readonly mark: string;
  readonly since: ReturnType<Deps["clock"]["now"]>["instant"];
  readonly maxWaitMs: number;
}

async function lookAfterMark<Seen>({ store }: Deps, look: () => Promise<Seen>) {
  const mark = await store.changeMark();
  return { mark, seen: await look() };
}

/** `stirred`: time has passed, or something was committed somewhere; that it concerns this mailbox is only possible. */
async function sleepUntilChanged(deps: Deps, sleeping: Sleeping): Promise<"rang" | "stirred" | "over"> {
  let dueInMs = sleeping.nextDueMs;
  for (;;) {
    const leftMs = sleeping.maxWaitMs - elapsedMs(sleeping.since, deps.clock.now().instant);
    if (leftMs <= 0) return "over";
    const before = deps.clock.now().instant;
    const { bell, mark, signal } = sleeping;
    const forMs = Math.min(leftMs, dueInMs);
    const listened = bell.lookEveryMs >= SLOW_LOOK_MS;
    const woken = await sleepUntilWorthLooking(deps, bell, { forMs, mark: listened ? null : mark, signal });
    if (woken === "aborted") return "over";
    dueInMs -= elapsedMs(before, deps.clock.now().instant);
    if (woken === "rang") return listened ? "rang" : "stirred";
    if (dueInMs <= 0 || sleeping.isOrphaned?.() || (await hasChanged(deps, mark))) return "stirred";
  }
}

async function hasChanged({ store }: Deps, mark: string): Promise<boolean> {
  const now = await unlessPassing(store.changeMark());
  return now !== null && now !== mark;
}
