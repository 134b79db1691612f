import { optional, path } from "../core/field.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { type Moment, wallMsOf } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { lookAtRooms } from "../engine/evidence.ts";
import { locate } from "../engine/locate.ts";
import { operation } from "../engine/operation.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { machinesOfRooms, roomMachineFields } from "./room-machine.ts";
import type { Room } from "./rules/room.ts";
import { type RoomSummary, summaryOf } from "./rules/view.ts";

export interface ListedRoom extends RoomSummary {
  /** Its directory is not there any more. Said only of rooms of this machine. */
  readonly vanished?: true;
}

export interface RoomList {
  readonly rooms: readonly ListedRoom[];
}

export const listRooms = operation({
  name: "list_rooms",
  summary: "Lists the rooms of this project, or those around a path: who holds the stick in each.",
  needs: { store: "read", caller: "anyone", room: "none" },
  input: { contextPath: optional(path()) },
  refusals: [],
  mcp: "gateway",
  run: ({ deps, caller, directory }, { contextPath = directory }) => roomsAround(deps, caller, contextPath),
});

/** The rooms of a path's project, or with null those of every project. Rooms that were idle for very long are left out. */
export async function roomsAround(
  deps: Deps,
  caller: Caller | null,
  contextPath: string | null,
): Promise<RoomList | Refusal<"invalid_path" | "invalid_input">> {
  const query = await queryFor(deps, contextPath);
  if (isRefusal(query)) return query;
  const { moment, rooms } = await deps.store.readRooms(query);
  const shown = rooms.filter((room) => room.state.owner !== null || !isForgotten(room, moment));
  const seen = await lookAtRooms(deps, { rooms: shown, moment }, caller);
  const isVanished = (room: Room) => room.host === deps.host && !deps.workspace.isThere(room.path);
  const machineOf = await machinesOfRooms(deps, shown, moment);
  return {
    rooms: seen.map(({ room, given }) => ({
      ...summaryOf(room, given),
      ...(isVanished(room) && { vanished: true }),
      ...roomMachineFields(machineOf(room), moment),
    })),
  };
}

async function queryFor(deps: Deps, contextPath: string | null) {
  if (contextPath === null) return { host: deps.host };
  const place = await locate(deps, contextPath);
  return isRefusal(place) ? place : { project: place.project };
}

/** For a list only, so the wall time of the last change is good enough. */
function isForgotten(room: Room, moment: Moment): boolean {
  return moment.wallMs - wallMsOf(room.updatedAt) > room.policy.idleRoomTtlMs;
}
