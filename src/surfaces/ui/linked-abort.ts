import { setMaxListeners } from "node:events";

/** A signal that is aborted with any of several others. Those live long, so they must be let go of when the work is done. */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  readonly abort: () => void;
  readonly release: () => void;
}

export function linkedAbort(...signals: readonly AbortSignal[]): LinkedAbort {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const signal of signals) {
    // Each open page has some. They are let go of, so their number is no sign of a leak.
    setMaxListeners(0, signal);
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
  }
  const release = () => {
    for (const signal of signals) signal.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, abort, release };
}
