const alarm = new Int32Array(new SharedArrayBuffer(4));

/** Gives the processor away for a fraction of a millisecond; timers last a whole one at least. The event loop stands still. */
export function nap(ms: number): void {
  Atomics.wait(alarm, 0, 0, ms);
}
