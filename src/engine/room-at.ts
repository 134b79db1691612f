import type { Deps } from "./deps.ts";
import type { RoomSnapshot } from "./ports/store.ts";
import type { Place } from "./ports/workspace.ts";

/** The deepest room that covers a place; null when none does. */
export async function roomAt(deps: Deps, place: Place): Promise<RoomSnapshot | null> {
  const { moment, rooms } = await deps.store.readRooms({ host: deps.host, paths: place.candidates });
  for (const path of place.candidates) {
    const room = rooms.find((candidate) => candidate.path === path);
    if (room) return { room, moment };
  }
  return null;
}
