/** The aliveness of a room's members, and what follows from it for the lease. */

import type { AgentId } from "../../core/ids.ts";
import type { BootRef } from "../../core/process.ts";
import { after, type Deadline, hasPassed, type Instant, latest } from "../../core/time.ts";
import { Aliveness, aliveness, type Sight } from "../../session/rules/aliveness.ts";
import { isElsewhere, machinesSeen, type SeenMachine } from "../../session/rules/host-silence.ts";
import type { Wait } from "../../session/rules/session.ts";
import type { Room } from "./room.ts";

export function alivenessIn(room: Room, agentId: AgentId, sight: Sight): Aliveness {
  const real = realAliveness(room, agentId, sight);
  const wait = room.waits.get(agentId);
  return wait && room.state.paused ? new AlivenessInPause(real, wait, room, sight) : real;
}

/**
 * The machine of an agent, as people are told of it; null if that is the reader's, or not known. Every member of these
 * rooms shows that its machine runs. `self`: a process of the reader's machine.
 */
export function machinesBeside(self: BootRef, rooms: readonly Room[], sight: Sight): MachineOf {
  const { hosts } = sight.evidence;
  if (!hosts) return () => null;
  const signs = rooms.flatMap(({ presence }) => [...presence.values()]);
  const machineOf = machinesSeen(signs, sight);
  return (agentId) => {
    const room = lastSeenIn(rooms, agentId);
    const process = room?.presence.get(agentId)?.process;
    if (!room || !process || !isElsewhere(process, self, hosts)) return null;
    return alivenessIn(room, agentId, sight).process === "unknown" ? machineOf(process) : null;
  };
}

export type MachineOf = (agentId: AgentId) => SeenMachine | null;

/** The room in which an agent was seen last. Its process is the one that this room knows. */
export function lastSeenIn(rooms: readonly Room[], agentId: AgentId): Room | null {
  const seen = rooms.flatMap((room) => {
    const presence = room.presence.get(agentId);
    return presence ? [{ room, at: presence.lastSeenAt }] : [];
  });
  return seen.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0]?.room ?? null;
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
