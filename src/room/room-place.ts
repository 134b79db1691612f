/** Looks for the rooms that explain where a room is. Reads only. */
import type { RoomId } from "../core/ids.ts";
import { wallMsOf } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import type { Room } from "./rules/room.ts";
import { type FormerRoom, lastHeadOf, type RoomPlace, repositoryWithin, surroundingRoom } from "./rules/room-place.ts";

/** Of rooms whose directory is gone, only the newest are compared: to compare one may take a call of git. */
const MOST_COMPARED = 5;

/** A room, or the place where one would be created. */
export interface Spot {
  readonly roomId: RoomId | null;
  readonly path: string;
  readonly project: string;
  /** Nobody has handed over here yet, so the history may lie elsewhere. */
  readonly isNew: boolean;
}

export function spotOf(room: Room): Spot {
  return { roomId: room.id, path: room.path, project: room.project, isNew: room.state.handoff === null };
}

export async function placeOf(deps: Deps, spot: Spot): Promise<RoomPlace> {
  const { store, host } = deps;
  const around = await store.readRooms({ host, paths: parentsOf(spot.path) });
  const inside = surroundingRoom(around.rooms, spot.path);
  const formerly = spot.isNew ? await formerRoom(deps, spot) : null;
  return { ...(inside && { inside }), ...(formerly && { formerly }) };
}

/**
 * The directory was probably renamed if a room's path is gone together with the repository in it, and of the repositories
 * with a room only this one can be it: it has the commit that was last seen there, and is older than that room. The room
 * of a clone that was removed looks the same.
 */
async function formerRoom({ store, host, workspace }: Deps, spot: Spot): Promise<FormerRoom | null> {
  const within = repositoryWithin(spot);
  if (within === null) return null;
  const { rooms } = await store.readRooms({ host });
  const alike = rooms.filter((room) => room.id !== spot.roomId && repositoryWithin(room) === within);
  const there = alike.filter(({ path }) => workspace.isThere(path));
  const gone = alike
    .filter((room) => !there.includes(room))
    .flatMap((room) => {
      const head = lastHeadOf(room);
      return head === null ? [] : [{ room, head }];
    });
  for (const { room, head } of gone.slice(0, MOST_COMPARED)) {
    const mayBe = (path: string) => workspace.hadCommit(path, head, wallMsOf(room.createdAt));
    if ((await mayBe(spot.path)) && !(await someOf(there, mayBe))) return { roomId: room.id, canonicalPath: room.path };
  }
  return null;
}

async function someOf(rooms: readonly Room[], is: (path: string) => Promise<boolean>): Promise<boolean> {
  for (const { path } of rooms) if (await is(path)) return true;
  return false;
}

/** Nearest first, without the path itself. */
function parentsOf(path: string): readonly string[] {
  const end = path.lastIndexOf("/");
  if (path === "/" || end < 0) return [];
  const parent = end === 0 ? "/" : path.slice(0, end);
  return [parent, ...parentsOf(parent)];
}
