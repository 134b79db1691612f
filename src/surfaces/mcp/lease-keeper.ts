/**
 * Renews the lease of a turn that was granted through this server, so that an agent deep in its work does not lose
 * the stick. It does so only while a call is in progress or the session showed itself lately: an abandoned harness
 * must not hold for ever. A server that holds nothing does nothing.
 */
import type { Caller } from "../../domain/given.ts";
import type { LeaseId, RoomId } from "../../domain/ids.ts";
import { isRefusal } from "../../domain/refusal.ts";
import { elapsedMs, type Instant } from "../../domain/time.ts";
import type { Deps } from "../../service/deps.ts";
import { heartbeat } from "../../service/heartbeat.ts";

interface Kept {
  readonly caller: Caller;
  readonly roomId: RoomId;
  readonly leaseId: LeaseId;
  readonly turnId: number;
}

/** Often enough that one missed beat costs nothing. */
const BEATS_PER_LEASE = 3;
const SHORTEST_BEAT_MS = 1000;

export class LeaseKeeper {
  readonly #kept = new Map<string, { timer: NodeJS.Timeout; turn: Kept }>();
  #callsInProgress = 0;
  #lastCall: Instant | null = null;

  /** Counts a call as a sign of life while it lasts, and from its end on. */
  async during<Answer>(deps: Deps | null, work: () => Promise<Answer>): Promise<Answer> {
    this.#callsInProgress += 1;
    try {
      return await work();
    } finally {
      this.#callsInProgress -= 1;
      if (deps) this.#lastCall = deps.clock.now().instant;
    }
  }

  async keep(deps: Deps, turn: Kept): Promise<void> {
    this.forget(turn.caller, turn.roomId);
    const snapshot = await deps.store.readRoom(turn.roomId);
    if (!snapshot) return;
    const { leaseTtlMs, ownerIdleMs } = snapshot.room.policy;
    const beatMs = Math.max(SHORTEST_BEAT_MS, leaseTtlMs / BEATS_PER_LEASE);
    const timer = setInterval(() => void this.#beat(deps, turn, ownerIdleMs), beatMs);
    timer.unref();
    this.#kept.set(keyOf(turn.caller, turn.roomId), { timer, turn });
  }

  forget(caller: Caller, roomId: RoomId): void {
    const key = keyOf(caller, roomId);
    const kept = this.#kept.get(key);
    if (kept) clearInterval(kept.timer);
    this.#kept.delete(key);
  }

  async #beat(deps: Deps, turn: Kept, ownerIdleMs: number): Promise<void> {
    const since = this.#lastCall;
    const isLately = since !== null && elapsedMs(since, deps.clock.now().instant) < ownerIdleMs;
    if (this.#callsInProgress === 0 && !isLately) return;
    const { caller, roomId, leaseId, turnId } = turn;
    try {
      const answer = await heartbeat(deps, caller, { roomId, leaseId, expectedTurnId: turnId });
      if (isRefusal(answer)) this.forget(caller, roomId);
    } catch {
      // The store cannot be used now; the next beat tries again.
    }
  }
}

function keyOf({ agentId }: Caller, roomId: RoomId): string {
  return JSON.stringify([agentId, roomId]);
}
