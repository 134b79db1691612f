/**
 * Keeps the leases of the turns that were granted through this server, so that an agent deep in its work does not lose
 * the stick. A holder counts as active while a call of that very agent is in progress, and for a while after its
 * last sign of life: where one server serves many sessions, the calls of one say nothing about another. A server whose
 * sessions hold nothing does nothing.
 */

import type { AgentId, RoomId } from "../../core/ids.ts";
import { elapsedMs, type Instant } from "../../core/time.ts";
import type { Deps } from "../../engine/deps.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import { keepLease, type OwnTurn } from "../../stick/heartbeat.ts";

interface Kept {
  turn: OwnTurn;
  readonly stop: AbortController;
}

interface Calls {
  inProgress: number;
  lastEnd: Instant | null;
}

export class LeaseKeeper {
  readonly #kept = new Set<Kept>();
  readonly #calls = new Map<AgentId, Calls>();

  /** Whether it matters who is calling. */
  get keepsAny(): boolean {
    return this.#kept.size > 0;
  }

  /** Counts a call as a sign of life until the returned function is called, and from then on as the latest one. */
  begin({ clock }: Deps, caller: Caller): () => void {
    const { agentId, formerId } = caller;
    // A holder whose session has become known goes on under its new name.
    for (const kept of this.#kept) if (kept.turn.caller.agentId === formerId) kept.turn = { ...kept.turn, caller };
    const calls = this.#calls.get(agentId) ?? { inProgress: 0, lastEnd: null };
    this.#calls.set(agentId, calls);
    calls.inProgress += 1;
    return () => {
      calls.inProgress -= 1;
      calls.lastEnd = clock.now().instant;
    };
  }

  /** The turn that this server has told the caller of, if it keeps it. */
  turnOf(caller: Caller, roomId: RoomId): number | undefined {
    return this.#find(caller, roomId)?.turn.token.expectedTurnId;
  }

  keep(deps: Deps, turn: OwnTurn): void {
    this.forget(turn.caller, turn.roomId);
    const kept: Kept = { turn, stop: new AbortController() };
    this.#kept.add(kept);
    const isActive = (withinMs: number) => this.#isActive(deps, kept.turn.caller, withinMs);
    const keeping = keepLease(deps, { turn: () => kept.turn, isActive, cancel: kept.stop.signal });
    // The server may have closed the store meanwhile.
    void keeping.catch(() => null).finally(() => this.#kept.delete(kept));
  }

  forget(caller: Caller, roomId: RoomId): void {
    this.#end(this.#find(caller, roomId));
  }

  forgetAll(): void {
    for (const kept of this.#kept) this.#end(kept);
  }

  #end(kept: Kept | undefined): void {
    if (!kept) return;
    this.#kept.delete(kept);
    kept.stop.abort();
  }

  #find({ agentId }: Caller, roomId: RoomId): Kept | undefined {
    return [...this.#kept].find(({ turn }) => turn.caller.agentId === agentId && turn.roomId === roomId);
  }

  #isActive({ clock, activity }: Deps, { agentId, sessionId }: Caller, ownerIdleMs: number): boolean {
    const calls = this.#calls.get(agentId);
    if (calls && calls.inProgress > 0) return true;
    const signs = [calls?.lastEnd ?? null, sessionId === null ? null : activity.lastSign(sessionId)];
    const now = clock.now().instant;
    return signs.some((sign) => sign !== null && elapsedMs(sign, now) < ownerIdleMs);
  }
}
