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
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
  }
  const release = () => {
    for (const signal of signals) signal.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, abort, release };
}
