/** Who is out of a room, and why, as its events tell. */
import type { LeaveReason, RoomEvent } from "../domain/event.ts";
import type { Caller } from "../domain/given.ts";
import type { AgentId, RoomId } from "../domain/ids.ts";
import { LIMITS } from "../domain/limits.ts";
import type { Room } from "../domain/room/room.ts";
import type { Deps } from "./deps.ts";
import { ownNames } from "./evidence.ts";

type Named = Pick<Caller, "agentId" | "formerId">;

/** Whether the last that happened to the caller's membership since `afterSeq` is that it left, for one of these reasons. */
export async function hasLeft(
  { store }: Deps,
  caller: Named,
  roomId: RoomId,
  afterSeq: number,
  reasons: readonly LeaveReason[],
): Promise<boolean> {
  return isOut(await store.readEvents(roomId, afterSeq, LIMITS.eventsPerScan), caller, reasons);
}

/** Which of them are out of a room because they wanted to be, as far as its newest events tell. */
export async function choseToLeave<Agent extends Named>(
  { store }: Deps,
  agents: readonly Agent[],
  { id, state }: Room,
): Promise<readonly Agent[]> {
  if (agents.length === 0) return [];
  const lately = Math.max(0, state.lastSeq - LIMITS.eventsPerScan);
  const events = await store.readEvents(id, lately, LIMITS.eventsPerScan);
  return agents.filter((agent) => isOut(events, agent, ["left"]));
}

function isOut(events: readonly RoomEvent[], agent: Named, reasons: readonly LeaveReason[]): boolean {
  const names = ownNames(agent);
  const departure = events.findLast((event) => names.includes(whoDeparted(event) as AgentId));
  return departure?.type === "member_left" && reasons.includes(departure.payload.reason);
}

function whoDeparted({ type, fromAgentId, toAgentId }: RoomEvent): AgentId | null {
  if (type === "member_left") return fromAgentId;
  return type === "kick" ? toAgentId : null;
}
