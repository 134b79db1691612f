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
  return isFor(departureOf(await store.readEvents(roomId, afterSeq, LIMITS.eventsPerScan), caller), reasons);
}

/** Which of them are out of a room because they, or a person, wanted it so, as far as its newest events tell. */
export async function meantToBeOut<Agent extends Named>(
  { store }: Deps,
  agents: readonly Agent[],
  { id, state }: Room,
): Promise<readonly Agent[]> {
  if (agents.length === 0) return [];
  const lately = Math.max(0, state.lastSeq - LIMITS.eventsPerScan);
  const events = await store.readEvents(id, lately, LIMITS.eventsPerScan);
  return agents.filter((agent) => {
    const departure = departureOf(events, agent);
    return departure?.type === "kick" ? departure.payload.force : isFor(departure, ["left"]);
  });
}

function departureOf(events: readonly RoomEvent[], agent: Named): RoomEvent | undefined {
  const names = ownNames(agent);
  return events.findLast((event) => names.includes(whoDeparted(event) as AgentId));
}

function isFor(departure: RoomEvent | undefined, reasons: readonly LeaveReason[]): boolean {
  return departure?.type === "member_left" && reasons.includes(departure.payload.reason);
}

function whoDeparted({ type, fromAgentId, toAgentId }: RoomEvent): AgentId | null {
  if (type === "member_left") return fromAgentId;
  return type === "kick" ? toAgentId : null;
}
