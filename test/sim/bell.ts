/** A bell in virtual time. Rings may be lost, as the port allows. */
import type { AgentId } from "../../src/core/ids.ts";
import type { Bell, Subscription, WakeReason } from "../../src/engine/ports/bell.ts";
import type { Call, Scheduler } from "./scheduler.ts";

export interface BellOptions {
  readonly scheduler: Scheduler;
  readonly losesRing: () => boolean;
  /** A deaf subscription hears nothing and looks often. */
  readonly isDeaf: () => boolean;
}

const LOOK_EVERY_MS = { hearing: 2000, deaf: 700 };

export class SimBell implements Bell {
  readonly #options: BellOptions;
  readonly #subscriptions = new Set<SimSubscription>();

  constructor(options: BellOptions) {
    this.#options = options;
  }

  async ring(agents: readonly AgentId[]): Promise<void> {
    if (this.#options.losesRing()) return;
    for (const subscription of this.#subscriptions) {
      if (subscription.to === "all" || agents.includes(subscription.to)) subscription.ring();
    }
  }

  async subscribe(to: AgentId | "all"): Promise<Subscription> {
    const { scheduler, isDeaf } = this.#options;
    await scheduler.gate();
    const subscription = new SimSubscription(to, scheduler, isDeaf(), () => this.#subscriptions.delete(subscription));
    this.#subscriptions.add(subscription);
    return subscription;
  }

  async close(): Promise<void> {
    this.#subscriptions.clear();
  }
}

class SimSubscription implements Subscription {
  readonly to: AgentId | "all";
  readonly lookEveryMs: number;
  readonly close: () => void;
  readonly #scheduler: Scheduler;
  readonly #deaf: boolean;
  #sleeper: Call | null = null;
  #rung = false;

  constructor(to: AgentId | "all", scheduler: Scheduler, deaf: boolean, onClose: () => void) {
    this.to = to;
    this.#scheduler = scheduler;
    this.#deaf = deaf;
    this.lookEveryMs = deaf ? LOOK_EVERY_MS.deaf : LOOK_EVERY_MS.hearing;
    this.close = onClose;
  }

  ring(): void {
    if (this.#deaf) return;
    if (this.#sleeper) this.#scheduler.rouse(this.#sleeper, "rang");
    else this.#rung = true;
  }

  async next(timeoutMs: number, signal?: AbortSignal): Promise<WakeReason> {
    if (timeoutMs > LOOK_EVERY_MS.hearing) throw new Error(`a waiter sleeps ${timeoutMs} ms without a look`);
    if (signal?.aborted) return "aborted";
    if (this.#rung) {
      this.#rung = false;
      return "rang";
    }
    const sleeper = this.#scheduler.running;
    const abort = () => this.#scheduler.rouse(sleeper, "aborted");
    this.#sleeper = sleeper;
    signal?.addEventListener("abort", abort);
    const reason = await this.#scheduler.sleepUntil(this.#scheduler.nowMs + timeoutMs);
    signal?.removeEventListener("abort", abort);
    this.#sleeper = null;
    return signal?.aborted ? "aborted" : reason;
  }
}
