import { LIMITS } from "../../core/limits.ts";

/**
 * Aborted when a person stops a stream or its time is up. The timer keeps a reference to its signal: some versions of
 * Node collect an `AbortSignal.timeout` that only an `AbortSignal.any` refers to, and then it never fires.
 */
export function untilStopped(interrupted: AbortSignal, timeoutMs: number | undefined): AbortSignal {
  if (timeoutMs === undefined || interrupted.aborted) return interrupted;
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), Math.min(timeoutMs, LIMITS.waitMs));
  timer.unref();
  interrupted.addEventListener("abort", () => stop.abort(), { once: true });
  return stop.signal;
}
