import { asRoomId, type RoomId } from "../core/ids.ts";
import type { Policy } from "../core/policy.ts";
import { isRefusal, type Refusal, type RefusalCode, refuse } from "../core/refusal.ts";
import { decodeId } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { ignoringFaults } from "../engine/ignoring-faults.ts";
import { locate } from "../engine/locate.ts";
import { roomAt } from "../engine/room-at.ts";
import { wholeId } from "../engine/whole-id.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { enterPath, newRoomAt } from "./join-path.ts";
import { placeOf } from "./room-place.ts";
import { roomNotFound } from "./rules/refusals.ts";
import type { NewRoom, Room } from "./rules/room.ts";
import type { RoomPlace } from "./rules/room-place.ts";

export type FindRefusal = "invalid_input" | "ambiguous_id" | "invalid_path" | "room_not_found";

/** The room a reader means: by its id, or by a directory. Changes nothing. */
export async function findRoom(deps: Deps, wanted: WantedRoom): Promise<Room | Refusal<FindRefusal>> {
  if (wanted.roomId !== undefined) {
    const roomId = decodeId("room_id", wanted.roomId);
    if (isRefusal(roomId)) return roomId;
    const whole = await wholeId(deps, "room", asRoomId(roomId));
    if (isRefusal(whole)) return whole;
    const snapshot = await deps.store.readRoom(whole);
    return snapshot ? snapshot.room : roomNotFound(wanted.roomId);
  }
  const place = await locate(deps, wanted.contextPath);
  if (isRefusal(place)) return place;
  const found = await roomAt(deps, place);
  if (found) return found.room;
  return refuse(
    "room_not_found",
    `There is no room at ${place.canonicalPath}.`,
    ["Create one: ", { do: "join_path" }],
    {
      canonical_path: place.canonicalPath,
      workspace_root: place.workspaceRoot,
    },
  );
}

export interface WantedRoom {
  readonly roomId?: string | undefined;
  readonly contextPath: string;
}

export interface FoundRoom {
  readonly roomId: RoomId;
  readonly policy: Policy;
  /** As it was found; null for a new room, in which nothing has happened yet. */
  readonly room: Room | null;
  /** Of a new room: where it is, as far as its path does not say it. */
  readonly place?: RoomPlace;
}

/**
 * The room a changing call means, and its policy. If the directory has no room yet, the call creates and joins one,
 * unless `refused` gives a reason not to.
 */
export async function findOrJoinRoom<Code extends RefusalCode = never>(
  deps: Deps,
  caller: Caller,
  wanted: WantedRoom,
  refused: (otherwise: NewRoom) => Promise<Refusal<Code> | null> = async () => null,
): Promise<FoundRoom | Refusal<Code | FindRefusal>> {
  const found = await findRoom(deps, wanted);
  if (!isRefusal(found)) return { roomId: found.id, policy: found.policy, room: found };
  if (found.error !== "room_not_found" || wanted.roomId !== undefined) return found;
  const place = await locate(deps, wanted.contextPath);
  const refusal = isRefusal(place) ? place : await refused(newRoomAt(deps, place));
  if (refusal) return refusal;
  const entered = await enterPath(deps, caller, wanted.contextPath);
  if (isRefusal(entered)) return entered;
  const around = (await ignoringFaults(() => placeOf(deps, entered.spot))) ?? {};
  return { roomId: entered.joined.roomId, policy: entered.policy, room: null, place: around };
}
