/**
 * When each event can have been committed. An event is no older than the latest invocation among the operations
 * whose events stand at or before it, and no younger than the earliest answer among those at or after it.
 */
import type { Attribution } from "./attribution.ts";

export class Bounds {
  readonly #earliest: Float64Array;
  readonly #latest: Float64Array;

  constructor(length: number, { operationOf }: Attribution) {
    this.#earliest = new Float64Array(length + 2).fill(Number.NEGATIVE_INFINITY);
    this.#latest = new Float64Array(length + 2).fill(Number.POSITIVE_INFINITY);
    for (const [seq, operation] of operationOf) {
      this.#earliest[seq] = operation.invokedAt;
      this.#latest[seq] = operation.answeredAt;
    }
    for (let seq = 1; seq <= length; seq += 1) {
      this.#earliest[seq] = Math.max(this.earliest(seq), this.earliest(seq - 1));
    }
    for (let seq = length; seq >= 1; seq -= 1) {
      this.#latest[seq] = Math.min(this.latest(seq), this.latest(seq + 1));
    }
  }

  earliest(seq: number): number {
    return this.#earliest[seq] ?? Number.NEGATIVE_INFINITY;
  }

  latest(seq: number): number {
    return this.#latest[seq] ?? Number.POSITIVE_INFINITY;
  }

  /** The last position that anybody can have seen by then. */
  lastVisibleAt(time: number): number {
    let low = 0;
    let high = this.#earliest.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.earliest(middle) <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
