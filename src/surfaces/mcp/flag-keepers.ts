/** Raises the flags of the sessions that call this server, where their senders may be on other machines. */

import type { AgentId } from "../../core/ids.ts";
import type { Deps } from "../../engine/deps.ts";
import { raiseOwnFlag } from "../../hooks/raise-own-flag.ts";
import type { Caller } from "../../session/rules/decision-input.ts";

/** One process may serve many sessions; those that called longest ago have most likely ended. */
const MOST = 32;

interface Running {
  readonly stop: AbortController;
  readonly over: Promise<void>;
}

export class FlagKeepers {
  readonly #running = new Map<AgentId, Running>();

  /** A session called; only one that its harness's hooks know by its id has a flag. */
  meet(deps: Deps, { agentId, sessionId }: Caller): void {
    if (sessionId === null || this.#running.has(agentId)) return;
    const [oldest] = this.#running.keys();
    if (oldest !== undefined && this.#running.size >= MOST) this.#running.get(oldest)?.stop.abort();
    const stop = new AbortController();
    const over = raiseOwnFlag(deps, { agentId, sessionId }, stop.signal).finally(() => this.#running.delete(agentId));
    this.#running.set(agentId, { stop, over });
  }

  async end(): Promise<void> {
    const running = [...this.#running.values()];
    for (const { stop } of running) stop.abort();
    await Promise.allSettled(running.map(({ over }) => over));
  }
}
