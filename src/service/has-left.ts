import type { LeaveReason, RoomEvent } from "../domain/event.ts";
import type { Caller } from "../domain/given.ts";
import type { AgentId, RoomId } from "../domain/ids.ts";
import { LIMITS } from "../domain/limits.ts";
import type { Room } from "../domain/room/room.ts";
import type { Deps } from "./deps.ts";
import { ownNames } from "./evidence.ts";

/** Whether the last that happened to the caller's membership since `afterSeq` is that it left, for one of these reasons. */
export async function hasLeft(
  deps: Deps,
  caller: Pick<Caller, "agentId" | "formerId">,
  roomId: RoomId,
  afterSeq: number,
  reasons: readonly LeaveReason[],
): Promise<boolean> {
  const names = ownNames(caller);
  const events = await deps.store.readEvents(roomId, afterSeq, LIMITS.eventsPerScan);
  const departure = events.findLast((event) => names.includes(whoDeparted(event) as AgentId));
  return departure?.type === "member_left" && reasons.includes(departure.payload.reason);
}

/** Whether an agent is out of a room because it wanted to be, as far as its newest events tell. */
export function hasChosenToLeave(
  deps: Deps,
  agent: Pick<Caller, "agentId" | "formerId">,
  { id, state }: Room,
): Promise<boolean> {
  return hasLeft(deps, agent, id, Math.max(0, state.lastSeq - LIMITS.eventsPerScan), ["left"]);
}

function whoDeparted({ type, fromAgentId, toAgentId }: RoomEvent): AgentId | null {
  if (type === "member_left") return fromAgentId;
  return type === "kick" ? toAgentId : null;
}
