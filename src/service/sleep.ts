/** Sleeping until it is worth to look at the store again. */
import { elapsedMs } from "../domain/time.ts";
import type { Subscription, WakeReason } from "../ports/bell.ts";
import type { Deps } from "./deps.ts";

/** How long a waiter sleeps at most: a lost ring costs this much, and a dead holder is found within it. */
export const SLOW_LOOK_MS = 2000;

/**
 * Resolves when the bell rang, when `forMs` passed (at most the slow look), or when aborted. Where rings
 * cannot be heard, the store's change mark is read at short intervals instead, which costs a few microseconds.
 */
export async function sleepUntilWorthLooking(
  deps: Deps,
  bell: Subscription,
  forMs: number,
  signal?: AbortSignal,
): Promise<WakeReason> {
  const limitMs = Math.max(0, Math.min(forMs, SLOW_LOOK_MS));
  if (bell.lookEveryMs >= SLOW_LOOK_MS) return bell.next(limitMs, signal);
  const since = deps.clock.now().instant;
  const mark = await deps.store.changeMark();
  for (;;) {
    const leftMs = limitMs - elapsedMs(since, deps.clock.now().instant);
    if (leftMs <= 0) return "timeout";
    const woken = await bell.next(Math.min(leftMs, bell.lookEveryMs), signal);
    if (woken !== "timeout" || (await deps.store.changeMark()) !== mark) return woken === "aborted" ? woken : "rang";
  }
}
