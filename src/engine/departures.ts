/** Which agents have left a room, and why, according to its events. */
import type { LeaveReason, RoomEvent } from "../core/event.ts";
import type { RoomId } from "../core/ids.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { Deps } from "./deps.ts";
import { ownNames } from "./evidence.ts";

type Named = Pick<Caller, "agentId" | "formerId">;

/** How the caller left the room since `afterSeq`, if its session ended or an agent or person decided it. */
export async function departureSince(
  { store }: Deps,
  caller: Named,
  roomId: RoomId,
  afterSeq: number,
): Promise<"ended" | "meant" | null> {
  const departure = await store.readDeparture(roomId, ownNames(caller));
  if (departure === null || departure.seq <= afterSeq) return null;
  if (isFor(departure, "session_ended")) return "ended";
  return isMeant(departure) ? "meant" : null;
}

/** Which of them left a room on purpose, or were removed by a person. */
export async function meantToBeOut<Agent extends Named>(
  { store }: Deps,
  agents: readonly Agent[],
  roomId: RoomId,
): Promise<readonly Agent[]> {
  const departures = await Promise.all(agents.map((agent) => store.readDeparture(roomId, ownNames(agent))));
  return agents.filter((_, index) => isMeant(departures[index] ?? null));
}

/** Whether a person has removed it from the room, and it has not come back. */
export async function wasSentAway({ store }: Deps, agent: Named, roomId: RoomId): Promise<boolean> {
  const departure = await store.readDeparture(roomId, ownNames(agent));
  return departure?.type === "kick" && departure.payload.force;
}

function isMeant(departure: RoomEvent | null): boolean {
  return departure?.type === "kick" ? departure.payload.force : isFor(departure, "left");
}

function isFor(departure: RoomEvent | null, reason: LeaveReason): boolean {
  return departure?.type === "member_left" && departure.payload.reason === reason;
}
