import type { PrunedRoom } from "../../src/engine/ports/prune-store.ts";
import type { Room } from "../../src/room/rules/room.ts";

/** What the store is asked to forget of a room, as it is. */
export function prunedRoom(room: Room | undefined, options: Partial<PrunedRoom> = {}): PrunedRoom {
  if (room === undefined) throw new Error("there is no room");
  return { roomId: room.id, lastSeq: room.state.lastSeq, gone: [], mayGo: false, ...options };
}
