/** Sleeping until it is worth to look at the store again. */
import { elapsedMs } from "../core/time.ts";
import type { Deps } from "./deps.ts";
import type { Subscription, WakeReason } from "./ports/bell.ts";

/** How long a waiter sleeps at most: a lost ring costs this much, and a dead holder is found within it. */
export const SLOW_LOOK_MS = 2000;

/** Taken before a look, so that a commit during the look shows as a difference. Null where rings are heard. */
export async function markBeforeLook(deps: Deps, bell: Subscription): Promise<string | null> {
  return bell.lookEveryMs >= SLOW_LOOK_MS ? null : deps.store.changeMark();
}

/**
 * Resolves when the bell rang, when `forMs` passed (at most the slow look), or when aborted. Where rings
 * cannot be heard, the store's change mark is read at short intervals instead, which costs a few microseconds.
 */
export async function sleepUntilWorthLooking(
  deps: Deps,
  bell: Subscription,
  {
    forMs,
    mark,
    signal,
  }: { readonly forMs: number; readonly mark: string | null; readonly signal?: AbortSignal | undefined },
): Promise<WakeReason> {
  const limitMs = Math.max(0, Math.min(forMs, SLOW_LOOK_MS));
  if (mark === null) return bell.next(Math.min(limitMs, bell.lookEveryMs), signal);
  const since = deps.clock.now().instant;
  for (;;) {
    if ((await deps.store.changeMark()) !== mark) return "rang";
    const leftMs = limitMs - elapsedMs(since, deps.clock.now().instant);
    if (leftMs <= 0) return "timeout";
    const woken = await bell.next(Math.min(leftMs, bell.lookEveryMs), signal);
    if (woken !== "timeout") return woken;
  }
}
