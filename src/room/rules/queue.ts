/**
 * Who is next. The order is by the time since the later of joining and last holding, longest first. Log
 * positions stand for time here: they order exactly as the commits did and survive clock jumps and reboots.
 * A waiter whose call was cut off comes after all others, in the same order: the stick is not reserved for a dead
 * call while a live waiter is there.
 */

import type { AgentId } from "../../core/ids.ts";
import type { Sight } from "../../session/rules/aliveness.ts";
import { alivenessIn } from "./liveness.ts";
import { type Member, placeOf, type Room } from "./room.ts";

/** Members with a place in the queue whose process is not gone, the next one first. */
export function waitingInOrder(room: Room, sight: Sight, except?: AgentId): readonly AgentId[] {
  const inPlace = [...room.waits.keys()]
    .flatMap((agentId) => room.state.members.get(agentId) ?? [])
    .filter(({ agentId }) => agentId !== except && alivenessIn(room, agentId, sight).wait?.claims === true)
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map(({ agentId }) => agentId);
  const cutOff = inPlace.filter((agentId) => alivenessIn(room, agentId, sight).isCutOff);
  return cutOff.length === 0 ? inPlace : [...inPlace.filter((agentId) => !cutOff.includes(agentId)), ...cutOff];
}

export function nextInQueue(room: Room, sight: Sight, except?: AgentId): AgentId | null {
  return waitingInOrder(room, sight, except)[0] ?? null;
}

/** The waiter right before this one; null if it is next, or does not wait. Called often, so nothing is sorted. */
export function aheadInQueue(room: Room, sight: Sight, agentId: AgentId): AgentId | null {
  const own = room.state.members.get(agentId);
  if (!own || !alivenessIn(room, agentId, sight).isWaiting) return null;
  for (let ahead = lastBefore(room, own); ahead; ahead = lastBefore(room, ahead)) {
    if (alivenessIn(room, ahead.agentId, sight).isWaiting) return ahead.agentId;
  }
  return null;
}

/** Of the members with a place in the queue, the last one before this member. */
function lastBefore({ waits, state }: Room, member: Member): Member | null {
  let last: Member | null = null;
  for (const agentId of waits.keys()) {
    const other = state.members.get(agentId);
    if (!other || placeOf(other) >= placeOf(member) || (last && placeOf(other) < placeOf(last))) continue;
    last = other;
  }
  return last;
}

/** 1 for the next one to be served; null for an agent that does not wait. */
export function queuePosition(room: Room, sight: Sight, agentId: AgentId): number | null {
  const index = waitingInOrder(room, sight).indexOf(agentId);
  return index === -1 || !alivenessIn(room, agentId, sight).isWaiting ? null : index + 1;
}
