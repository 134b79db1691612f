/** A search in a long log keeps a page at a time, and ends where nothing older can match. */
import { expect, it } from "vitest";
import type { RoomEvent } from "../../src/core/event.ts";
import { LIMITS } from "../../src/core/limits.ts";
import { wallTime } from "../../src/core/time.ts";
import { newestEvents } from "../../src/engine/newest-events.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import type { Room } from "../../src/room/rules/room.ts";

const EVENTS = 100_000;
const room = { id: "r", state: { lastSeq: EVENTS } } as unknown as Room;
const eventAt = (seq: number) => ({ seq, turnId: Math.ceil(seq / 10), createdAt: wallTime(seq * 1000) }) as RoomEvent;

/** A log that makes its events when they are read, and counts them. */
function longLog() {
  const read = { pages: 0, largest: 0 };
  const store = {
    async readEventsBefore(_roomId: unknown, before: number, limit: number) {
      const from = Math.max(1, before - limit);
      read.pages += 1;
      read.largest = Math.max(read.largest, before - from);
      return Array.from({ length: before - from }, (_, index) => eventAt(from + index));
    },
  } as unknown as Store;
  return { store, read };
}

it("the newest of a turn are found without a look at what came before it", async () => {
  const { store, read } = longLog();
  const found = await newestEvents(
    store,
    room,
    50,
    ({ turnId }) => turnId === 9990,
    ({ turnId }) => turnId < 9990,
  );
  expect(found.map(({ seq }) => seq)).toEqual(Array.from({ length: 10 }, (_, index) => 99_891 + index));
  expect(read.pages).toBeLessThanOrEqual(2);
});

it("what never matches is searched page by page", async () => {
  const { store, read } = longLog();
  expect(await newestEvents(store, room, 50, () => false)).toEqual([]);
  expect(read.largest).toBe(LIMITS.eventsPerScan);
});

it("the event before a time is found from the end, and there may be none", async () => {
  const { store, read } = longLog();
  const since = wallTime(500_500);
  const [before] = await newestEvents(store, room, 1, ({ createdAt }) => createdAt < since);
  expect(before?.seq).toBe(500);
  expect(read.largest).toBe(LIMITS.eventsPerScan);
  expect(await newestEvents(longLog().store, room, 1, () => false)).toEqual([]);
});
