import { optional, path } from "../core/field.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { type Moment, wallMsOf } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { lookAtRooms } from "../engine/evidence.ts";
import { locate } from "../engine/locate.ts";
import { operation } from "../engine/operation.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { hostLabel, machineSilentMs, otherHosts } from "../session/rules/host-silence.ts";
import type { Room } from "./rules/room.ts";
import { type RoomSummary, summaryOf } from "./rules/view.ts";

export interface ListedRoom extends RoomSummary {
  /** Its directory is not there any more. Said only of rooms of this machine. */
  readonly vanished?: true;
  /** Only for a room of another machine: what people call that machine. */
  readonly hostName?: string;
  /** And for how long it is silent, if it is. */
  readonly hostSilentMs?: number;
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
  const machineOf = await otherMachines(deps, shown, moment);
  return {
    rooms: seen.map(({ room, given }) => ({
      ...summaryOf(room, given),
      ...(isVanished(room) && { vanished: true }),
      ...machineOf(room),
    })),
  };
}

/** What a list says of a room's machine: nothing of this one. */
async function otherMachines({ hosts, host }: Deps, rooms: readonly Room[], moment: Moment) {
  const isAlone = rooms.every((room) => room.host === host);
  const known = isAlone || !hosts ? [] : await hosts.all();
  const sight = { evidence: hosts ? { hosts: otherHosts(known, hosts.own) } : {}, moment };
  const named = hosts ? [hosts.own, ...known] : [];
  return (room: Room): Pick<ListedRoom, "hostName" | "hostSilentMs"> => {
    if (room.host === host) return {};
    const silentMs = machineSilentMs(room.host, room.presence.values(), sight);
    const name = { hostName: hostLabel(room.host, named) };
    return silentMs === null ? name : { ...name, hostSilentMs: Math.floor(silentMs) };
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
