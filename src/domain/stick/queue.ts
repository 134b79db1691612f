/**
 * Who is next. The order is by the time since the later of joining and last holding, longest first. Log
 * positions stand for time here: they order exactly as the commits did and survive clock jumps and reboots.
 */
import type { Given } from "../given.ts";
import type { AgentId } from "../ids.ts";
import { isWaiting } from "../room/liveness.ts";
import { placeOf, type Room } from "../room/room.ts";

/** Waiting members whose process is not gone, the fairest first. */
export function waitingInOrder(room: Room, given: Given, except?: AgentId): readonly AgentId[] {
  return [...room.waits.keys()]
    .flatMap((agentId) => room.state.members.get(agentId) ?? [])
    .filter(({ agentId }) => agentId !== except && isWaiting(room, agentId, given))
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map(({ agentId }) => agentId);
}

export function nextInQueue(room: Room, given: Given, except?: AgentId): AgentId | null {
  return waitingInOrder(room, given, except)[0] ?? null;
}

/** 1 for the next one to be served; null for an agent that does not wait. */
export function queuePosition(room: Room, given: Given, agentId: AgentId): number | null {
  const index = waitingInOrder(room, given).indexOf(agentId);
  return index === -1 ? null : index + 1;
}
