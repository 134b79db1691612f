/** Counts what pruning removes, and for how long others could not change the store meanwhile. */

import { Fault } from "../core/fault.ts";
import { elapsedMs } from "../core/time.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { PruneStore, RowCounts, RowKind } from "../engine/ports/prune-store.ts";

export type Removed = Readonly<Partial<Record<RowKind | "files", number>>>;

export class PruneTally {
  readonly #clock: Clock;
  readonly #removed = new Map<string, number>();
  #lockedMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get removed(): Removed {
    return Object.fromEntries(this.#removed);
  }

  get lockedMs(): number {
    return Math.ceil(this.#lockedMs);
  }

  get isEmpty(): boolean {
    return this.#removed.size === 0;
  }

  /** Whether there was anything. */
  add(counts: RowCounts | { readonly files: number }): boolean {
    const some = Object.entries(counts).filter(([, count]) => count > 0);
    for (const [kind, count] of some) this.#removed.set(kind, (this.#removed.get(kind) ?? 0) + count);
    return some.length > 0;
  }

  async locking<T>(work: () => Promise<T>): Promise<T> {
    const { instant } = this.#clock.now();
    try {
      return await work();
    } finally {
      this.#lockedMs += elapsedMs(instant, this.#clock.now().instant);
    }
  }

  /** What was removed stays removed if the store is busy or the disk has no room for a copy. */
  async compacting(store: PruneStore): Promise<boolean> {
    try {
      return await this.locking(() => store.compact());
    } catch (error) {
      if (error instanceof Fault && (error.code === "store_busy" || error.code === "store_full")) return false;
      throw error;
    }
  }
}
