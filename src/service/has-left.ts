/** Who is out of a room, and why, as its events tell. */
import type { LeaveReason, RoomEvent } from "../domain/event.ts";
import type { Caller } from "../domain/given.ts";
import type { RoomId } from "../domain/ids.ts";
import type { Deps } from "./deps.ts";
import { ownNames } from "./evidence.ts";

type Named = Pick<Caller, "agentId" | "formerId">;

/** Whether the last that happened to the caller's membership since `afterSeq` is that it left for this reason. */
export async function hasLeft(
  { store }: Deps,
  caller: Named,
  roomId: RoomId,
  afterSeq: number,
  reason: LeaveReason,
): Promise<boolean> {
  const departure = await store.readDeparture(roomId, ownNames(caller));
  return departure !== null && departure.seq > afterSeq && isFor(departure, reason);
}

/** Which of them are out of a room because they, or a person, wanted it so. */
export async function meantToBeOut<Agent extends Named>(
  { store }: Deps,
  agents: readonly Agent[],
  roomId: RoomId,
): Promise<readonly Agent[]> {
  const departures = await Promise.all(agents.map((agent) => store.readDeparture(roomId, ownNames(agent))));
  return agents.filter((_, index) => {
    const departure = departures[index];
    return departure?.type === "kick" ? departure.payload.force : departure !== null && isFor(departure, "left");
  });
}

function isFor(departure: RoomEvent | undefined, reason: LeaveReason): boolean {
  return departure?.type === "member_left" && departure.payload.reason === reason;
}
