/**
 * Watching a room that rarely changes. While the store's mark stays the same, what was read last is still true, so
 * a waiter's look costs microseconds however many others wait. Only a store that shares this machine's clock can be
 * watched so: elsewhere the time has to be asked for, and the room comes with it.
 */
import type { RoomId } from "../domain/ids.ts";
import type { Room } from "../domain/room/room.ts";
import type { RoomSnapshot } from "../ports/store.ts";
import type { Deps } from "./deps.ts";

export class Lookout {
  readonly #deps: Deps;
  readonly #roomId: RoomId;
  #sharesClock = true;
  #known: { readonly mark: string; readonly room: Room } | null = null;

  constructor(deps: Deps, roomId: RoomId) {
    this.#deps = deps;
    this.#roomId = roomId;
  }

  async look(): Promise<RoomSnapshot | null> {
    const { store, clock } = this.#deps;
    if (!this.#sharesClock) return store.readRoom(this.#roomId);
    // The mark before the room: a commit in between shows as a difference next time.
    const mark = await store.changeMark();
    if (this.#known?.mark === mark) return { room: this.#known.room, moment: clock.now() };
    const snapshot = await store.readRoom(this.#roomId);
    this.#sharesClock = snapshot?.moment.instant.epoch === clock.now().instant.epoch;
    this.#known = snapshot && { mark, room: snapshot.room };
    return snapshot;
  }
}
