/** The newest events that a filter lets through, found from the end of the log. */
import type { RoomEvent } from "../core/event.ts";
import { LIMITS } from "../core/limits.ts";
import type { Room } from "../room/rules/room.ts";
import type { Store } from "./ports/store.ts";

/** Most searched events are recent, so the first read is small. */
const FIRST_LOOK = 64;

/** Up to `limit` of them, ascending. The room says where the log ends, and `isBefore` which events end the search. */
export async function newestEvents(
  store: Store,
  room: Room,
  limit: number,
  matches: (event: RoomEvent) => boolean,
  isBefore: (event: RoomEvent) => boolean = () => false,
): Promise<readonly RoomEvent[]> {
  let found: readonly RoomEvent[] = [];
  let [end, size] = [room.state.lastSeq + 1, FIRST_LOOK];
  for (;;) {
    const events = await store.readEventsBefore(room.id, end, size);
    found = [...events.filter(matches), ...found];
    const [first] = events;
    if (!first || events.length < size || found.length >= limit || isBefore(first)) return found.slice(-limit);
    [end, size] = [first.seq, LIMITS.eventsPerScan];
  }
}

/** When the present turn was granted; null when nobody holds the stick or the log does not reach back that far. */
export async function holdingSince(store: Store, room: Room): Promise<string | null> {
  const { owner, turnId } = room.state;
  return owner === null ? null : ((await grantOf(store, room, turnId))?.createdAt ?? null);
}

/** The event by which a turn began; null when there was no such turn or the log does not reach back that far. */
export async function grantOf(store: Store, room: Room, turnId: number): Promise<RoomEvent | null> {
  if (turnId > room.state.turnId) return null;
  const grants = (event: RoomEvent) => (event.type === "claim" || event.type === "takeover") && event.turnId === turnId;
  const [grant] = await newestEvents(store, room, 1, grants);
  return grant ?? null;
}
