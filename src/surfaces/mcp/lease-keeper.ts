/**
 * Renews the lease of a turn that was granted through this server, so that an agent deep in its work does not lose
 * the stick. It does so only while a call of that very agent is in progress, or if the agent showed itself lately: an
 * abandoned harness must not hold for ever, and where one server serves many sessions, one's calls are no sign of
 * another's life. A server that holds nothing does nothing.
 */

import type { AgentId, LeaseId, RoomId } from "../../core/ids.ts";
import { isRefusal } from "../../core/refusal.ts";
import { elapsedMs, type Instant } from "../../core/time.ts";
import type { Deps } from "../../engine/deps.ts";
import { renewalMs } from "../../engine/renew-leases.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import { heartbeat } from "../../stick/heartbeat.ts";

interface Kept {
  caller: Caller;
  readonly roomId: RoomId;
  readonly leaseId: LeaseId;
  readonly turnId: number;
}

interface Calls {
  inProgress: number;
  lastEnd: Instant | null;
}

export class LeaseKeeper {
  readonly #kept = new Map<string, { timer: NodeJS.Timeout; beatMs: number; readonly turn: Kept }>();
  readonly #calls = new Map<AgentId, Calls>();

  /** Whether it matters who is calling. */
  get keepsAny(): boolean {
    return this.#kept.size > 0;
  }

  /** Counts a call as a sign of life until the returned function is called, and from then on as the latest one. */
  begin(deps: Deps, caller: Caller): () => void {
    const { clock } = deps;
    this.#rename(caller);
    void this.#followPolicy(deps, caller);
    const { agentId } = caller;
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

  async keep(deps: Deps, turn: Kept): Promise<void> {
    const snapshot = await deps.store.readRoom(turn.roomId);
    this.forget(turn.caller, turn.roomId);
    if (!snapshot) return;
    const beatMs = renewalMs(snapshot.room);
    this.#kept.set(keyOf(turn.caller, turn.roomId), { timer: this.#beatEvery(deps, turn, beatMs), beatMs, turn });
  }

  #beatEvery(deps: Deps, turn: Kept, beatMs: number): NodeJS.Timeout {
    const timer = setInterval(() => void this.#beat(deps, turn), beatMs);
    timer.unref();
    return timer;
  }

  /** A lease that a person has made shorter counts from the holder's next call on, and so must the beats. */
  async #followPolicy(deps: Deps, caller: Caller): Promise<void> {
    for (const kept of this.#kept.values()) {
      if (kept.turn.caller.agentId !== caller.agentId) continue;
      // Where the store cannot be used now, the beats stay as they are.
      const snapshot = await deps.store.readRoom(kept.turn.roomId).catch(() => null);
      if (snapshot) this.#beatAsOften(deps, kept.turn, renewalMs(snapshot.room));
    }
  }

  #beatAsOften(deps: Deps, turn: Kept, beatMs: number): void {
    const kept = this.#kept.get(keyOf(turn.caller, turn.roomId));
    if (kept?.turn !== turn || beatMs === kept.beatMs) return;
    clearInterval(kept.timer);
    kept.timer = this.#beatEvery(deps, turn, beatMs);
    kept.beatMs = beatMs;
  }

  /** A holder whose session has become known goes on under its new name. */
  #rename(caller: Caller): void {
    for (const [key, kept] of this.#kept) {
      if (kept.turn.caller.agentId !== caller.formerId) continue;
      kept.turn.caller = caller;
      this.#kept.delete(key);
      this.#kept.set(keyOf(caller, kept.turn.roomId), kept);
    }
  }

  forget(caller: Caller, roomId: RoomId): void {
    const key = keyOf(caller, roomId);
    clearInterval(this.#kept.get(key)?.timer);
    this.#kept.delete(key);
  }

  forgetAll(): void {
    for (const { timer } of this.#kept.values()) clearInterval(timer);
    this.#kept.clear();
  }

  async #beat(deps: Deps, turn: Kept): Promise<void> {
    const { caller, roomId, leaseId, turnId } = turn;
    try {
      const snapshot = await deps.store.readRoom(roomId);
      // The beat itself begins a lease of the present length.
      if (snapshot) this.#beatAsOften(deps, turn, renewalMs(snapshot.room));
      if (snapshot && !this.#isActive(deps, caller, snapshot.room.policy.ownerIdleMs)) return;
      const token = { leaseId, expectedTurnId: turnId };
      const answer = await heartbeat.run({ deps, caller, directory: "", roomId, token }, {}, {});
      if (isRefusal(answer)) this.forget(caller, roomId);
    } catch {
      // The store cannot be used now; the next beat tries again.
    }
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
