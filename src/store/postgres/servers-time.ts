/**
 * The wall time by the server's clock, on a machine whose own clock may be wrong. All instants in the store are the
 * server's, so ages that people read are right only by that clock. It is learned from what a read or a change tells.
 */
import type { Moment } from "../../core/time.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Store } from "../../engine/ports/store.ts";

export function onServersTime(store: Store, clock: Clock): { readonly store: Store; readonly clock: Clock } {
  let aheadMs = 0;
  const learn = <Told extends { readonly moment: Moment } | null>(told: Told): Told => {
    if (told) aheadMs = told.moment.wallMs - clock.now().wallMs;
    return told;
  };
  return {
    store: {
      ...store,
      change: async (target, decide, options) => learn(await store.change(target, decide, options)),
      changeSession: (key, change) =>
        store.changeSession(key, (known, now) => change(known, () => learn({ moment: now() }).moment)),
      readRoom: async (roomId) => learn(await store.readRoom(roomId)),
      readRooms: async (query) => learn(await store.readRooms(query)),
    },
    clock: {
      now() {
        const here = clock.now();
        return { ...here, wallMs: here.wallMs + aheadMs };
      },
      get aheadMs() {
        return aheadMs;
      },
    },
  };
}
