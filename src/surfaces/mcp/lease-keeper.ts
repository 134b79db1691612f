/**
 * Renews the lease of a turn that was granted through this server, so that an agent deep in its work does not lose
 * the stick. It does so only while a call of that very agent is in progress, or if the agent was active lately: an
 * abandoned harness must not hold without end, and where one server serves many sessions, the calls of one are no sign
 * of life of another. A server whose sessions hold nothing does nothing.
 */

import type { AgentId, LeaseId, RoomId } from "../../core/ids.ts";
import { isRefusal } from "../../core/refusal.ts";
import { elapsedMs, type Instant } from "../../core/time.ts";
import type { Deps } from "../../engine/deps.ts";
import { ignoringFaults } from "../../engine/ignoring-faults.ts";
import { renewalMs } from "../../engine/renew-leases.ts";
import { type Look, NOTHING_YET, SLOW_LOOK_MS, waitUntil } from "../../engine/wait-until.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import { heartbeat } from "../../stick/heartbeat.ts";

interface KeptTurn {
  readonly caller: Caller;
  readonly roomId: RoomId;
  readonly leaseId: LeaseId;
  readonly turnId: number;
}

interface Kept {
  turn: KeptTurn;
  renewedAt: Instant;
  /** Ends the wait for the next renewal. */
  stop: AbortController;
}

interface Calls {
  inProgress: number;
  lastEnd: Instant | null;
}

export class LeaseKeeper {
  readonly #kept = new Map<string, Kept>();
  readonly #calls = new Map<AgentId, Calls>();

  /** Whether it matters who is calling. */
  get keepsAny(): boolean {
    return this.#kept.size > 0;
  }

  /** Counts a call as a sign of life until the returned function is called, and from then on as the latest one. */
  begin(deps: Deps, caller: Caller): () => void {
    const { clock } = deps;
    this.#rename(caller);
    const { agentId } = caller;
    // A lease that a person has shortened counts from the holder's next call on, so compute its end again.
    for (const kept of this.#kept.values()) if (kept.turn.caller.agentId === agentId) this.#renewInTime(deps, kept);
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
    return this.#kept.get(keyOf(caller, roomId))?.turn.turnId;
  }

  async keep(deps: Deps, turn: KeptTurn): Promise<void> {
    this.forget(turn.caller, turn.roomId);
    const kept = { turn, renewedAt: deps.clock.now().instant, stop: new AbortController() };
    this.#kept.set(keyOf(turn.caller, turn.roomId), kept);
    this.#renewInTime(deps, kept);
  }

  #renewInTime(deps: Deps, kept: Kept): void {
    kept.stop.abort();
    kept.stop = new AbortController();
    const renewing = waitUntil(deps, {
      cancel: kept.stop.signal,
      everyMs: Number.POSITIVE_INFINITY,
      // No fault of the store ends the renewing: a server that fails over may be read-only for a while.
      look: async () => (await ignoringFaults(() => this.#renewIfDue(deps, kept))) ?? { changesInMs: SLOW_LOOK_MS },
    });
    // The holder's next call starts again.
    void renewing.catch(() => undefined);
  }

  async #renewIfDue(deps: Deps, kept: Kept): Promise<Look<"lost">> {
    const { caller, roomId, leaseId, turnId: expectedTurnId } = kept.turn;
    const snapshot = await deps.store.readRoom(roomId);
    if (!snapshot) return NOTHING_YET;
    const everyMs = renewalMs(snapshot.room);
    const now = deps.clock.now().instant;
    const leftMs = everyMs - elapsedMs(kept.renewedAt, now);
    if (leftMs > 0) return { changesInMs: leftMs };
    kept.renewedAt = now;
    if (!this.#isActive(deps, caller, snapshot.room.policy.ownerIdleMs)) return { changesInMs: everyMs };
    const token = { leaseId, expectedTurnId };
    const answer = await heartbeat.run({ deps, caller, directory: "", roomId, token }, {}, {});
    if (!isRefusal(answer)) return { changesInMs: everyMs };
    if (this.#kept.get(keyOf(caller, roomId)) === kept) this.forget(caller, roomId);
    return { found: "lost" };
  }

  /** A holder whose session has become known goes on under its new name. */
  #rename(caller: Caller): void {
    for (const [key, kept] of this.#kept) {
      if (kept.turn.caller.agentId !== caller.formerId) continue;
      kept.turn = { ...kept.turn, caller };
      this.#kept.delete(key);
      this.#kept.set(keyOf(caller, kept.turn.roomId), kept);
    }
  }

  forget(caller: Caller, roomId: RoomId): void {
    const key = keyOf(caller, roomId);
    this.#kept.get(key)?.stop.abort();
    this.#kept.delete(key);
  }

  forgetAll(): void {
    for (const { stop } of this.#kept.values()) stop.abort();
    this.#kept.clear();
  }

  #isActive({ clock, activity }: Deps, { agentId, sessionId }: Caller, ownerIdleMs: number): boolean {
    const calls = this.#calls.get(agentId);
    if (calls && calls.inProgress > 0) return true;
    const signs = [calls?.lastEnd ?? null, sessionId === null ? null : activity.lastSign(sessionId)];
    const now = clock.now().instant;
    return signs.some((sign) => sign !== null && elapsedMs(sign, now) < ownerIdleMs);
  }
}

function keyOf({ agentId }: Caller, roomId: RoomId): string {
  return JSON.stringify([agentId, roomId]);
}
