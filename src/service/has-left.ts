import type { LeaveReason, RoomEvent } from "../domain/event.ts";
import type { Caller } from "../domain/given.ts";
import type { AgentId, RoomId } from "../domain/ids.ts";
import { LIMITS } from "../domain/limits.ts";
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

function whoDeparted({ type, fromAgentId, toAgentId }: RoomEvent): AgentId | null {
  if (type === "member_left") return fromAgentId;
  return type === "kick" ? toAgentId : null;
}
