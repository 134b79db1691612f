/**
 * The bell wakes waiters when another process has committed.
 *
 * It is an accelerator and carries no data: rings may be lost, doubled or coalesced, so a waiter looks at
 * the store before it first sleeps and after every wake-up, and looks slowly even when nothing rings. Ring
 * only after the commit; subscribe before the look.
 */
import type { AgentId } from "../../core/ids.ts";

export type WakeReason = "rang" | "timeout" | "aborted";

export interface Subscription {
  /** Resolves at the first ring since the last call, after `timeoutMs`, or when aborted. */
  next(timeoutMs: number, signal?: AbortSignal, options?: NextOptions): Promise<WakeReason>;
  /** How long to sleep at most between looks; short where rings cannot be heard. */
  readonly lookEveryMs: number;
  close(): void;
}

export interface NextOptions {
  /** False: the process may end before. */
  readonly keepsAlive?: boolean;
}

export interface Ring {
  /** The one among them who rings, if it is: the others are more in a hurry. */
  readonly ringer?: AgentId;
  /** The time of day, if the ringer has it at hand. */
  readonly wallMs?: number;
}

export interface Bell {
  /**
   * Wakes those agents' subscriptions and every subscription to all. Never throws: a lost ring costs only time.
   */
  ring(agents: readonly AgentId[], ring?: Ring): Promise<void>;
  /** An agent's own bell, or the one that rings for every change. */
  subscribe(to: AgentId | "all"): Promise<Subscription>;
  close(): Promise<void>;
}
