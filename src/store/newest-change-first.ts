import type { Room } from "../room/rules/room.ts";

/** The order in which a list shows rooms. */
export function newestChangeFirst(a: Room, b: Room): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}
