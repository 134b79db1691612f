/** The logs of several rooms as one stream, cut and resumed at any place. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { asAgentId, asRoomId, type RoomId } from "../../src/core/ids.ts";
import { LIMITS } from "../../src/core/limits.ts";
import { isRefusal } from "../../src/core/refusal.ts";
import { after } from "../../src/core/time.ts";
import { type LogCursor, nextLines, readLines, seenTo } from "../../src/room/log-stream.ts";
import type { EventFilter } from "../../src/room/rules/event-view.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

const EVERYTHING: EventFilter = { types: null, target: { kind: "any" }, from: null };
const NOTES: EventFilter = { ...EVERYTHING, types: new Set(["note_added"]) };

class Rooms {
  readonly world = new ServiceWorld();
  readonly ids: RoomId[] = [];

  static async open(count: number): Promise<Rooms> {
    const rooms = new Rooms();
    for (let n = 0; n < count; n += 1) {
      const joined = accepted(await rooms.world.as("a").joinPath({ contextPath: rooms.world.directory(`room-${n}`) }));
      rooms.ids.push(asRoomId(joined.roomId));
    }
    return rooms;
  }

  async add(room: number, body: string): Promise<void> {
    accepted(await this.world.as("a").addNote({ roomId: this.#id(room), body }));
  }

  get start(): LogCursor {
    return new Map(this.ids.map((id) => [id, 0]));
  }

  /** Every event that a filter lets through, room by room. */
  async logged(filter = EVERYTHING): Promise<readonly string[]> {
    const logs = this.ids.map((id) => this.world.deps.store.readEvents(id, 0, 10_000));
    const events = (await Promise.all(logs)).flat();
    return events.filter(({ type }) => filter.types?.has(type) ?? true).map(nameOf);
  }

  /** What a reader sees that starts at the cursor, gets this many events and is cut off then. */
  async read(from: LogCursor, most: number, filter: EventFilter) {
    const { events, cursor } = await readLines(this.world.deps, { cursor: from, filter });
    if (most >= events.length) return { seen: events.map(nameOf), cursor };
    const seen = events.slice(0, most);
    return { seen: seen.map(nameOf), cursor: seen.reduce(seenTo, from) };
  }

  #id(room: number): RoomId {
    return this.ids[room % this.ids.length] as RoomId;
  }
}

function nameOf({ roomId, seq }: { readonly roomId: string; readonly seq: number }): string {
  return `${roomId} ${String(seq).padStart(6, "0")}`;
}

const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("append" as const), room: fc.nat(3), count: fc.integer({ min: 1, max: 60 }) }),
    fc.record({ do: fc.constant("read" as const), most: fc.nat(150) }),
    // The wall clock may be set back; the order of a room stays.
    fc.record({ do: fc.constant("clock" as const), ms: fc.integer({ min: -5000, max: 5000 }) }),
  ),
  { minLength: 1, maxLength: 25 },
);

it.each([
  ["every event", EVERYTHING],
  ["what a filter lets through", NOTES],
] as const)(
  "gives %s exactly once, in order within each room, whatever is cut and resumed",
  async (_, filter) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (count, story) => {
        const rooms = await Rooms.open(count);
        const seen: string[] = [];
        let cursor = rooms.start;
        for (const step of story) {
          if (step.do === "clock") rooms.world.nowMs += step.ms;
          if (step.do === "append") for (let n = 0; n < step.count; n += 1) await rooms.add(step.room, `note ${n}`);
          if (step.do !== "read") continue;
          const read = await rooms.read(cursor, step.most, filter);
          seen.push(...read.seen);
          cursor = read.cursor;
        }
        for (;;) {
          const read = await rooms.read(cursor, LIMITS.eventsPerWait, filter);
          if (read.seen.length === 0) break;
          seen.push(...read.seen);
          cursor = read.cursor;
        }
        const logged = await rooms.logged(filter);
        expect(seen.toSorted()).toEqual(logged.toSorted());
        for (const id of rooms.ids) {
          const own = seen.filter((name) => name.startsWith(`${id} `));
          expect(own).toEqual(own.toSorted());
        }
      }),
      { numRuns: 30 },
    );
  },
  60_000,
);

it("gives a quiet room its share beside a busy one", async () => {
  const rooms = await Rooms.open(2);
  for (let n = 0; n < LIMITS.eventsPerWait * 2; n += 1) await rooms.add(0, `busy ${n}`);
  await rooms.add(1, "quiet");
  const { seen } = await rooms.read(rooms.start, Number.POSITIVE_INFINITY, NOTES);
  expect(seen.filter((name) => name.startsWith(`${rooms.ids[1]} `))).toHaveLength(1);
  expect(seen.length).toBeLessThanOrEqual(LIMITS.eventsPerWait);
});

it("wakes for an event in any of its rooms, and a reader that stops keeps its cursor", async () => {
  const rooms = await Rooms.open(3);
  const { deps } = rooms.world;
  const { cursor } = await readLines(deps, { cursor: rooms.start, filter: EVERYTHING });
  const stop = new AbortController();
  const until = after(deps.clock.now().instant, 60_000);
  const follow = { caller: agentCalled("b"), name: "all", filter: NOTES, until, cancel: stop.signal } as const;
  const coming = nextLines(deps, { ...follow, cursor });
  await rooms.add(2, "here");
  const lines = await coming;
  if (isRefusal(lines)) throw new Error(lines.message);
  expect(lines.events).toMatchObject([{ type: "note_added", roomId: rooms.ids[2], fromAgentId: asAgentId("a") }]);
  const idle = nextLines(deps, { ...follow, cursor: lines.cursor });
  stop.abort();
  expect(await idle).toMatchObject({ events: [], cursor: lines.cursor });
});
