/**
 * Subscriptions within one process, for every kind of bell.
 *
 * A ring sets a flag that the next call of `next` clears, so a ring between two calls is not lost and any number of rings
 * count as one. Each pending `next` holds one timer and at most one listener on the caller's signal, and releases both
 * however it ends.
 */
import type { AgentId } from "../core/ids.ts";
import type { NextOptions, Subscription, WakeReason } from "../engine/ports/bell.ts";

/** Longer timers would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export type Listener = AgentId | "all";

export class PendingRings implements Subscription {
  readonly #pending = new Set<(reason: WakeReason) => void>();
  readonly #lookEveryMs: () => number;
  readonly #onClose: () => void;
  #rung = false;
  #closed = false;

  constructor(options: { readonly lookEveryMs: () => number; readonly onClose: () => void }) {
    this.#lookEveryMs = options.lookEveryMs;
    this.#onClose = options.onClose;
  }

  get lookEveryMs(): number {
    return this.#lookEveryMs();
  }

  ring(): void {
    if (this.#pending.size === 0) this.#rung = true;
    for (const wake of this.#pending) wake("rang");
  }

  next(timeoutMs: number, signal?: AbortSignal, { keepsAlive = true }: NextOptions = {}): Promise<WakeReason> {
    if (this.#closed || signal?.aborted) return Promise.resolve("aborted");
    if (this.#rung) {
      this.#rung = false;
      return Promise.resolve("rang");
    }
    return new Promise((resolve) => {
      const wake = (reason: WakeReason) => {
        this.#pending.delete(wake);
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        resolve(reason);
      };
      const abort = () => wake("aborted");
      const timer = setTimeout(() => wake("timeout"), Math.min(timeoutMs, LONGEST_TIMER_MS));
      if (!keepsAlive) timer.unref();
      signal?.addEventListener("abort", abort);
      this.#pending.add(wake);
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const wake of this.#pending) wake("aborted");
    this.#onClose();
  }
}

/** All subscriptions of a process, by what they listen to. */
export class SubscriptionBook {
  readonly #byListener = new Map<Listener, Set<PendingRings>>();

  subscribe(to: Listener, lookEveryMs: () => number): Subscription {
    const group = this.#byListener.get(to) ?? new Set();
    this.#byListener.set(to, group);
    const rings = new PendingRings({
      lookEveryMs,
      onClose: () => {
        group.delete(rings);
        if (group.size === 0 && this.#byListener.get(to) === group) this.#byListener.delete(to);
      },
    });
    group.add(rings);
    return rings;
  }

  get isEmpty(): boolean {
    return this.#byListener.size === 0;
  }

  ring(agents: readonly AgentId[]): void {
    for (const listener of new Set<Listener>([...agents, "all"])) {
      for (const rings of this.#byListener.get(listener) ?? []) rings.ring();
    }
  }

  ringEveryone(): void {
    for (const group of this.#byListener.values()) for (const rings of group) rings.ring();
  }

  close(): void {
    for (const group of this.#byListener.values()) for (const rings of group) rings.close();
  }
}
