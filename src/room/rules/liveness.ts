/** The aliveness of a room's members, and what follows from it for the lease. */

import type { AgentId } from "../../core/ids.ts";
import { after, type Deadline, hasPassed, type Instant, latest } from "../../core/time.ts";
import { Aliveness, aliveness, type Sight } from "../../session/rules/aliveness.ts";
import type { Wait } from "../../session/rules/session.ts";
import type { Room } from "./room.ts";

export function alivenessIn(room: Room, agentId: AgentId, sight: Sight): Aliveness {
  const real = realAliveness(room, agentId, sight);
  const wait = room.waits.get(agentId);
  return wait && room.state.paused ? new AlivenessInPause(real, wait, room, sight) : real;
}

/** Whether it waits for the stick. In a pause, an agent that has stopped waiting only keeps its place. */
export function isWaitingNow(room: Room, agentId: AgentId, sight: Sight): boolean {
  return realAliveness(room, agentId, sight).isWaiting;
}

function realAliveness({ presence, waits, policy }: Room, agentId: AgentId, sight: Sight): Aliveness {
  return aliveness({ agentId, seen: presence.get(agentId), wait: waits.get(agentId) }, sight, policy);
}

/** In a paused room a waiter keeps its place and stays active. Whether it listens is judged by its real wait. */
class AlivenessInPause extends Aliveness {
  readonly #real: Aliveness;

  constructor(real: Aliveness, wait: Wait, room: Room, sight: Sight) {
    const lasting = lastingWait(wait, room, sight.moment.instant);
    super({ agentId: wait.agentId, seen: room.presence.get(wait.agentId), wait: lasting }, sight, room.policy);
    this.#real = real;
  }

  override get isListening(): boolean {
    return this.#real.isListening;
  }

  override get isActive(): boolean {
    return super.isActive || (this.wait !== null && !this.isCutOff);
  }
}

/** A wait whose time is not over before the grace is, counted from now: in a paused room no waiter loses its place. */
export function lastingWait(wait: Wait, { policy }: Room, now: Instant): Wait {
  if (wait.deadline.epoch !== now.epoch) return wait;
  return { ...wait, deadline: latest(wait.deadline, after(now, policy.waitGraceMs)) };
}

/** By when the reservation must be taken. In a paused room it does not expire. */
export function reservationDeadline({ state, claimDeadline }: Room): Deadline | null {
  return state.paused ? null : claimDeadline;
}

/** The lease's end, moved by signs of life that the holder's hooks left since the last call. */
export function leaseDeadline(room: Room, { evidence }: Sight): Deadline | null {
  if (!room.lease || room.state.owner === null) return null;
  const sign = evidence.activity.get(room.state.owner);
  if (!sign) return room.lease.deadline;
  const bySign = after(sign, room.policy.leaseTtlMs);
  const comparable = bySign.epoch === room.lease.deadline.epoch;
  return comparable ? latest(room.lease.deadline, bySign) : room.lease.deadline;
}

export function leaseHasExpired(room: Room, sight: Sight): boolean {
  const deadline = leaseDeadline(room, sight);
  return deadline !== null && hasPassed(deadline, sight.moment.instant);
}
