/** The aliveness of a room's members, and what follows from it for the lease. */

import type { AgentId } from "../../core/ids.ts";
import { after, type Deadline, hasPassed, latest } from "../../core/time.ts";
import { type Aliveness, aliveness, type Sight } from "../../session/rules/aliveness.ts";
import type { Room } from "./room.ts";

export function alivenessIn({ presence, waits, policy }: Room, agentId: AgentId, sight: Sight): Aliveness {
  return aliveness({ agentId, seen: presence.get(agentId), wait: waits.get(agentId) }, sight, policy);
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
