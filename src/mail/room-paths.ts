/** Where rooms are, for messages that say from which room they came. A room never moves, so each is looked up once. */
import type { RoomId } from "../core/ids.ts";
import type { Store } from "../engine/ports/store.ts";

const PATHS = new WeakMap<Store, Map<RoomId, string>>();

/** A room that is gone has no path. */
export async function roomPaths(store: Store, ids: Iterable<RoomId>): Promise<ReadonlyMap<RoomId, string>> {
  const known = PATHS.get(store) ?? new Map<RoomId, string>();
  PATHS.set(store, known);
  for (const id of new Set(ids)) {
    const path = known.get(id) ?? (await store.readRoom(id))?.room.path;
    if (path !== undefined) known.set(id, path);
  }
  return known;
}
