/**
 * Renews the lease of a turn that was granted through this server, so that an agent deep in its work does not lose
 * the stick. It does so only while a call of that very agent is in progress, or if the agent showed itself lately: an
 * abandoned harness must not hold for ever, and where one server serves many sessions, one's calls are no sign of
 * another's life. A server that holds nothing does nothing.
 */
import type { Caller } from "../../domain/given.ts";
import type { AgentId, LeaseId, RoomId } from "../../domain/ids.ts";
import { isRefusal } from "../../domain/refusal.ts";
import { elapsedMs, type Instant } from "../../domain/time.ts";
import type { Deps } from "../../service/deps.ts";
import { heartbeat } from "../../service/heartbeat.ts";

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

/** Often enough that one missed beat costs nothing. */
const BEATS_PER_LEASE = 3;
const SHORTEST_BEAT_MS = 1000;

export class LeaseKeeper {
  readonly #kept = new Map<string, { readonly timer: NodeJS.Timeout; readonly turn: Kept }>();
  readonly #calls = new Map<AgentId, Calls>();

  /** Whether it matters who is calling. */
  get keepsAny(): boolean {
    return this.#kept.size > 0;
  }

  /** Counts a call as a sign of life until the returned function is called, and from then on as the latest one. */
  begin({ clock }: Deps, caller: Caller): () => void {
    this.#rename(caller);
    const { agentId } = caller;
    const calls = this.#calls.get(agentId) ?? { inProgress: 0, lastEnd: null };
    this.#calls.set(agentId, calls);
    calls.inProgress += 1;
    return () => {
      calls.inProgress -= 1;
      calls.lastEnd = clock.now().instant;
    };
  }

  async keep(deps: Deps, turn: Kept): Promise<void> {
    const snapshot = await deps.store.readRoom(turn.roomId);
    this.forget(turn.caller, turn.roomId);
    if (!snapshot) return;
    const { leaseTtlMs, ownerIdleMs } = snapshot.room.policy;
    const beatMs = Math.max(SHORTEST_BEAT_MS, leaseTtlMs / BEATS_PER_LEASE);
    const timer = setInterval(() => void this.#beat(deps, turn, ownerIdleMs), beatMs);
    timer.unref();
    this.#kept.set(keyOf(turn.caller, turn.roomId), { timer, turn });
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

  async #beat(deps: Deps, turn: Kept, ownerIdleMs: number): Promise<void> {
    const { caller, roomId, leaseId, turnId } = turn;
    if (!this.#isActive(deps, caller, ownerIdleMs)) return;
    try {
      const answer = await heartbeat(deps, caller, { roomId, leaseId, expectedTurnId: turnId });
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
