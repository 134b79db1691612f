import { LIMITS } from "../../core/limits.ts";

/**
 * Aborted when somebody stops a stream or its time is up. The timer holds on to what it ends: a signal of
 * `AbortSignal.timeout` that only an `AbortSignal.any` knows is collected by some versions of Node, and never comes then.
 */
export function untilStopped(interrupted: AbortSignal, timeoutMs: number | undefined): AbortSignal {
  if (timeoutMs === undefined || interrupted.aborted) return interrupted;
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), Math.min(timeoutMs, LIMITS.waitMs));
  timer.unref();
  interrupted.addEventListener("abort", () => stop.abort(), { once: true });
  return stop.signal;
}
