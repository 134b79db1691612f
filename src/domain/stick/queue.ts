/**
 * Who is next. The order is by the time since the later of joining and last holding, longest first. Log
 * positions stand for time here: they order exactly as the commits did and survive clock jumps and reboots.
 * Whoever's call was cut off comes after all who wait, in the same order: the stick is not laid down for a dead
 * call while somebody lives who waits for it.
 */
import type { Given } from "../given.ts";
import type { AgentId } from "../ids.ts";
import { isWaiting, liveWait } from "../room/liveness.ts";
import { type Member, placeOf, type Room } from "../room/room.ts";

/** Members with a place in the queue whose process is not gone, the next one first. */
export function waitingInOrder(room: Room, given: Given, except?: AgentId): readonly AgentId[] {
  const inPlace = [...room.waits.keys()]
    .flatMap((agentId) => room.state.members.get(agentId) ?? [])
    .filter(({ agentId }) => agentId !== except && liveWait(room, agentId, given)?.claims === true)
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map(({ agentId }) => agentId);
  const cutOff = inPlace.filter((agentId) => !isWaiting(room, agentId, given));
  return cutOff.length === 0 ? inPlace : [...inPlace.filter((agentId) => !cutOff.includes(agentId)), ...cutOff];
}

export function nextInQueue(room: Room, given: Given, except?: AgentId): AgentId | null {
  return waitingInOrder(room, given, except)[0] ?? null;
}

/** Whom one who waits is served right after; null for one who is next, or does not wait. Asked often, so nothing is sorted. */
export function aheadInQueue(room: Room, given: Given, agentId: AgentId): AgentId | null {
  const own = room.state.members.get(agentId);
  if (!own || !isWaiting(room, agentId, given)) return null;
  let ahead: Member | null = null;
  for (const otherId of room.waits.keys()) {
    const other = room.state.members.get(otherId);
    if (!other || placeOf(other) >= placeOf(own) || (ahead && placeOf(other) < placeOf(ahead))) continue;
    if (isWaiting(room, otherId, given)) ahead = other;
  }
  return ahead?.agentId ?? null;
}

/** 1 for the next one to be served; null for an agent that does not wait. */
export function queuePosition(room: Room, given: Given, agentId: AgentId): number | null {
  const index = waitingInOrder(room, given).indexOf(agentId);
  return index === -1 || !isWaiting(room, agentId, given) ? null : index + 1;
}
