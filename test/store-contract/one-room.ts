/** A store with one room, and the smallest real change of it: for tests of what goes wrong around a store. */
import { asRoomId } from "../../src/core/ids.ts";
import { DEFAULT_POLICY } from "../../src/core/policy.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { begin } from "../../src/room/rules/change.ts";

export const ROOM_ID = asRoomId("room");

export function makeRoom(store: Store) {
  const otherwise = {
    id: ROOM_ID,
    host: "h",
    path: "/projects",
    project: "/projects",
    policy: DEFAULT_POLICY,
    createdAt: "now",
  };
  const target = { host: "h", paths: ["/projects"], otherwise };
  return store.change(target, ({ room }) => ({ change: begin(room), answer: true }));
}

export function touch(store: Store, turnHead: string) {
  return store.change({ roomId: ROOM_ID }, ({ room }) => ({
    change: begin({ ...room, state: { ...room.state, turnHead } }),
    answer: true,
  }));
}
