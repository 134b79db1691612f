/**
 * Lets the server wake the session that started it. It begins with the server, so that a session which has called no
 * tool yet can be woken, too; if the store cannot be used then, or is of an older build, with a later call.
 */

import type { AgentId } from "../../core/ids.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import type { Deps } from "../../engine/deps.ts";
import type { OwnInbox, Waking } from "../../engine/ports/wake.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import type { CallEvidence } from "../../session/rules/evidence.ts";
import { type OwnSession, wakeOwnSession } from "../../wake/own-waker.ts";
import type { McpPorts } from "./call.ts";

/** Nobody calls: the session is known by what surrounds this process alone. */
export const NO_CALL: CallEvidence = { clientName: null, meta: {} };

export class OwnWaker {
  readonly #ports: McpPorts;
  readonly #inbox: OwnInbox;
  #running: { readonly stop: AbortController; readonly over: Promise<void> } | null = null;
  /** The session that it listens for, and the one that called last. */
  #agentId: AgentId | null = null;
  #met: AgentId | null = null;
  /** The inbox is gone, or the server is. */
  #isOver = false;

  constructor(ports: McpPorts, inbox: OwnInbox) {
    this.#ports = ports;
    this.#inbox = inbox;
  }

  async start(open: () => Promise<Deps | Refusal>): Promise<void> {
    try {
      const deps = await open();
      if (!isRefusal(deps)) this.#run(deps);
    } catch {
      // The first call that needs the store tells what is wrong with it.
    }
  }

  /** A session called: if it is another one than before, the waker listens for it from now on. */
  meet(deps: Deps, agentId: AgentId): void {
    const isKnown = [this.#met, this.#agentId].includes(agentId);
    this.#met = agentId;
    if (this.#running && isKnown) return;
    this.#running?.stop.abort();
    this.#run(deps);
  }

  /** The store that it listened to is gone; the waker starts again with the next caller. */
  forget(): void {
    this.#running?.stop.abort();
    this.#running = null;
  }

  /** Whether it can begin a turn of sessions of that harness. */
  wakes(harness: string): boolean {
    return !this.#isOver && harness === this.#inbox.harness;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.#running?.stop.abort();
    await this.#running?.over;
  }

  #run(deps: Deps): void {
    const { waking } = deps;
    if (this.#isOver || !waking || waking.mode === "off") return;
    // The waker registers in the store, and only a session's own change may upgrade a store.
    if (!deps.store.isUpToDate()) return;
    const stop = new AbortController();
    this.#running = { stop, over: this.#untilOver(deps, waking, stop) };
  }

  async #untilOver(deps: Deps, waking: Waking, stop: AbortController): Promise<void> {
    const whoAmI = () => this.#whoAmI(deps);
    const canWake = await wakeOwnSession({ deps, waking, inbox: this.#inbox, whoAmI, signal: stop.signal });
    if (!canWake) this.#isOver = true;
    if (this.#running?.stop === stop) this.#running = null;
  }

  async #whoAmI(deps: Deps): Promise<OwnSession | null> {
    const { identity } = await this.#ports.identify(deps, NO_CALL);
    const place = await deps.workspace.locate(this.#ports.directory);
    if (isRefusal(identity) || isRefusal(place)) return null;
    const { agentId, harness } = identity;
    this.#agentId = agentId;
    return { agentId, harness, project: place.project };
  }
}

/** A session that joins by this call records at once which process can wake it. */
export function withWaker(waker: OwnWaker | null, { probe }: Deps, caller: Caller): Caller {
  const canWake = caller.facts && waker?.wakes(caller.harness);
  return canWake ? { ...caller, facts: { ...caller.facts, waker: probe.self() } } : caller;
}
