import { describe, expect, test } from "vitest";
import type { RoomEvent } from "../../src/core/event.ts";
import { asNoteId, type RoomId } from "../../src/core/ids.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { addNote } from "../../src/room/rules/note.ts";
import { bundleFixture, startFixture } from "../support/fixture.ts";
import { type OpenBackend, StoreWorld } from "./store-world.ts";

const WRITERS = 4;
const NOTES_EACH = 75;

export function connectionsContract(openBackend: OpenBackend): void {
  const open = async () => {
    const world = await StoreWorld.open(openBackend);
    await world.join("claude:1");
    return world;
  };

  describe("several connections", () => {
    test("see each other's changes at once", async () => {
      const world = await open();
      await addNotes(world.other, world, "codex:1", 1);
      const notes = await world.store.readNotes(world.roomId, 10, { unresolvedOnly: true });
      expect(notes).toHaveLength(1);
      expect((await world.room()).state.members.size).toBe(2);
    });

    test("a change mark moves when anybody commits, and not by reading", async () => {
      const world = await open();
      const first = await world.store.changeMark();
      await world.store.readRoom(world.roomId);
      await world.other.readRooms({});
      if (world.backend.markIsOurs) expect(await world.store.changeMark()).toBe(first);
      await addNotes(world.other, world, "codex:1", 1);
      const second = await world.store.changeMark();
      expect(second).not.toBe(first);
      await addNotes(world.store, world, "claude:1", 1);
      expect(await world.store.changeMark()).not.toBe(second);
    });

    test("racing writers lose nothing, and a cursor that follows them skips nothing", async () => {
      const world = await open();
      const writing = world.backend.location
        ? writeInProcesses(world.backend.location, world.roomId)
        : Promise.all(
            Array.from({ length: WRITERS }, (_, index) => addNotes(world.store, world, `writer:${index}`, NOTES_EACH)),
          );
      const expected = 1 + WRITERS * (NOTES_EACH + 1);
      const seen = await follow(world.other, world.roomId, expected);
      await writing;
      expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: expected }, (_, index) => index + 1));
      expect(await world.store.readEvents(world.roomId, 0, 1000)).toEqual(seen);
      const notes = await world.store.readNotes(world.roomId, 1000, { unresolvedOnly: false });
      expect(notes).toHaveLength(WRITERS * NOTES_EACH);
    });

    test("a reader that runs beside writers sees only states that existed", async () => {
      const world = await open();
      const done = addNotes(world.other, world, "codex:1", 40).then(() => true);
      let finished = false;
      while (!finished) {
        const room = await world.room();
        const events = await world.store.readEvents(world.roomId, 0, 1000);
        expect(room.presence.size).toBe(room.state.members.size);
        expect(room.state.members.size).toBe(room.state.lastSeq >= 2 ? 2 : 1);
        expect(events.length).toBeGreaterThanOrEqual(room.state.lastSeq);
        finished = await Promise.race([done, nextTurn().then(() => false)]);
      }
    });
  });

  describe("opening and closing", () => {
    test("a store that newer programs share with this one is read and changed", async ({ skip }) => {
      const world = await open();
      const { sql = skip("memory has no schema"), newerSchema } = world.backend;
      await sql(newerSchema?.shared ?? "");
      expect((await world.room()).state.members.size).toBe(1);
      await world.join("codex:2");
      const again = await world.backend.again();
      expect((await again.readRoom(world.roomId))?.room.state.members.size).toBe(2);
      await again.close();
    });

    test("a store that is for newer programs alone is refused and left as it is", async ({ skip }) => {
      const world = await open();
      const { sql = skip("memory has no schema"), newerSchema } = world.backend;
      const before = await world.room();
      await sql(newerSchema?.theirs ?? "");
      const refused = {
        name: "Fault",
        code: "store_too_new",
        retry: false,
        facts: { oldest_writer: 99 },
        next: expect.stringContaining("restart the client") as string,
      };
      await expect(world.backend.again()).rejects.toMatchObject(refused);
      // Also for a connection that was open before.
      await expect(world.store.readRoom(world.roomId)).rejects.toMatchObject(refused);
      await expect(world.join("codex:2")).rejects.toMatchObject(refused);
      await expect(world.store.changeMark()).rejects.toMatchObject(refused);
      await sql(newerSchema?.shared ?? "");
      expect(await world.room()).toEqual(before);
    });

    test("what was committed is there after closing and opening again", async ({ skip }) => {
      const world = await open();
      if (!world.backend.location) skip("memory forgets");
      const before = await world.room();
      await world.store.close();
      await world.other.close();
      const again = await world.backend.again();
      expect((await again.readRoom(world.roomId))?.room).toEqual(before);
      await again.close();
    });

    test("closing twice is fine, and a closed store says so", async () => {
      const world = await open();
      await world.store.close();
      await world.store.close();
      await expect(world.store.readRoom(world.roomId)).rejects.toThrow("the store is closed");
      await expect(world.store.changeMark()).rejects.toThrow("the store is closed");
    });
  });
}

async function addNotes(store: Store, world: StoreWorld, agent: string, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const noteId = asNoteId(`${agent} ${number} ${Math.random()}`);
    await store.change({ roomId: world.roomId }, ({ room, moment, handles }) =>
      addNote(room, world.given(agent, moment), handles, { noteId, body: "text", turnId: null }),
    );
  }
}

/** Reads on from the last seq seen, as a waiter does, until all are there. */
async function follow(store: Store, roomId: RoomId, expected: number): Promise<readonly RoomEvent[]> {
  const seen: RoomEvent[] = [];
  while (seen.length < expected) {
    seen.push(...(await store.readEvents(roomId, seen.at(-1)?.seq ?? 0, 7)));
    await nextTurn();
  }
  return seen;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

async function writeInProcesses(location: object, roomId: RoomId): Promise<void> {
  const bundle = await bundleFixture("test/store-contract/fixtures/note-writer.ts");
  try {
    const writers = Array.from({ length: WRITERS }, (_, index) =>
      startFixture(bundle, [JSON.stringify(location), roomId, `writer:${index}`, String(NOTES_EACH)]),
    );
    const ends = await Promise.all(writers.map(({ ended }) => ended));
    expect(ends).toEqual(ends.map(() => ({ code: 0, signal: null, stderr: "" })));
  } finally {
    bundle.remove();
  }
}
