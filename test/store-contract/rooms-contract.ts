import { describe, expect, test } from "vitest";
import { asAgentId, asRoomId } from "../../src/core/ids.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { begin } from "../../src/room/rules/change.ts";
import { joinRoom } from "../../src/room/rules/join.ts";
import { type OpenBackend, StoreWorld } from "./store-world.ts";

export function roomsContract(openBackend: OpenBackend): void {
  const open = () => StoreWorld.open(openBackend);

  describe("finding and making rooms", () => {
    test("the first join makes a room, the second one finds it", async () => {
      const world = await open();
      const first = await world.join("claude:1");
      const second = await world.join("codex:1");
      expect([first.created, second.created]).toEqual([true, false]);
      expect(second.before).toEqual(first.decision.change.room);
    });

    test("of several rooms on the way up the deepest is taken", async () => {
      const world = await open();
      await world.join("claude:1", ["/projects"]);
      await world.join("claude:1", ["/projects/deep"]);
      const found = await world.join("codex:1", ["/projects/deep/er", "/projects/deep", "/projects"]);
      expect(found.before.path).toBe("/projects/deep");
    });

    test("the same path on another host is another room", async () => {
      const world = await open();
      await world.join("claude:1", ["/projects"]);
      const otherwise = { ...world.newRoom("/projects"), id: asRoomId("elsewhere"), host: "host-2" };
      const target = { host: "host-2", paths: ["/projects"], otherwise };
      const changed = await world.store.change(target, ({ room }) => ({ change: begin(room), answer: true }));
      expect(changed?.created).toBe(true);
    });

    test("a room that exists at the path of a new one is found, though the search did not name it", async () => {
      const world = await open();
      await world.join("claude:1", ["/projects"]);
      const target = { host: "host-1", paths: [], otherwise: { ...world.newRoom("/projects"), id: asRoomId("twin") } };
      const changed = await world.store.change(target, ({ room }) => ({ change: begin(room), answer: true }));
      expect(changed?.before.id).toBe(world.roomId);
    });

    test("many first joins at one instant make one room", async () => {
      const world = await open();
      const stores = [world.store, world.other];
      const changes = await Promise.all(
        Array.from({ length: 8 }, (_, index) => {
          const otherwise = { ...world.newRoom("/projects"), id: asRoomId(`room ${index}`) };
          const target = { host: "host-1", paths: ["/projects"], otherwise };
          return (stores[index % 2] as typeof world.store).change(target, (loaded) =>
            joinRoom(loaded.room, world.given(`claude:${index}`, loaded.moment), loaded.handles),
          );
        }),
      );
      expect(new Set(changes.map((changed) => changed?.before.id)).size).toBe(1);
      expect(changes.filter((changed) => changed?.created)).toHaveLength(1);
      const { rooms } = await world.store.readRooms({});
      expect(rooms).toHaveLength(1);
      expect(rooms[0]?.state.members.size).toBe(8);
      const handles = [...(rooms[0]?.presence.values() ?? [])].map(({ handle }) => handle);
      expect(new Set(handles).size).toBe(8);
    });

    test("a room that does not exist is null", async () => {
      const world = await open();
      const roomId = asRoomId("nowhere");
      expect(await world.store.readRoom(roomId)).toBeNull();
      expect(await world.store.change({ roomId }, ({ room }) => ({ change: begin(room), answer: true }))).toBeNull();
      expect(await world.store.readEvents(roomId, 0, 10)).toEqual([]);
      expect(await world.store.readNotes(roomId, 10, { unresolvedOnly: false })).toEqual([]);
    });
  });

  describe("handles, when agents join different rooms of a project at one instant,", () => {
    test("are all different", async () => {
      const world = await open();
      const stores = [world.store, world.other];
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          joinAt(world, stores[index % 2] as Store, `claude:${index}`, `/projects/${index}`),
        ),
      );
      expect(new Set(await handlesIn(world)).size).toBe(8);
    });

    test("stay apart, though one comes back for its old handle while another takes it", async () => {
      const world = await open();
      for (let round = 0; round < 10; round += 1) {
        const back = `claude:back-${round}`;
        await world.join(back, [`/left/${round}`]);
        await world.leave(back);
        await Promise.all([
          joinAt(world, world.store, back, `/one/${round}`),
          joinAt(world, world.other, `claude:new-${round}`, `/two/${round}`),
        ]);
      }
      const handles = await handlesIn(world);
      expect(handles).toHaveLength(20);
      expect(new Set(handles).size).toBe(20);
    });
  });

  describe("lists of rooms", () => {
    test("are restricted by host, paths, project, member and held stick, and show the newest change first", async () => {
      const world = await open();
      await world.join("claude:1", ["/projects"], { project: "one" });
      await world.join("claude:2", ["/other"], { project: "two" });
      const older = { ...world.newRoom("/older"), createdAt: "2001-01-01T00:00:00.000Z" };
      await world.store.change({ host: "host-1", paths: [], otherwise: older }, ({ room }) => ({
        change: begin(room),
        answer: true,
      }));
      const pathsOf = async (query: Parameters<typeof world.store.readRooms>[0]) =>
        (await world.store.readRooms(query)).rooms.map((room) => room.path);
      expect((await pathsOf({})).at(-1)).toBe("/older");
      expect(await pathsOf({ project: "one" })).toEqual(["/projects"]);
      expect(await pathsOf({ agentId: asAgentId("claude:2") })).toEqual(["/other"]);
      expect((await pathsOf({ paths: ["/projects", "/other", "/none"] })).toSorted()).toEqual(["/other", "/projects"]);
      expect(await pathsOf({ host: "host-1", paths: ["/projects"], project: "two" })).toEqual([]);
      expect(await pathsOf({ paths: [] })).toEqual([]);
      expect(await pathsOf({ host: "host-2" })).toEqual([]);
      expect(await pathsOf({ owned: true })).toEqual([]);
      await world.wait("claude:1");
      const held = (await world.store.readRooms({ owned: true })).rooms;
      expect(held.map(({ id }) => id)).toEqual([world.roomId]);
    });

    test("hold whole rooms", async () => {
      const world = await open();
      await world.join("claude:1");
      await world.wait("claude:1");
      await world.join("codex:1");
      await world.wait("codex:1");
      await world.release("claude:1");
      await world.join("claude:1", ["/other"]);
      const { rooms } = await world.store.readRooms({ paths: ["/projects"] });
      expect(rooms).toEqual([(await world.store.readRoom(asRoomId("room at /projects")))?.room]);
    });
  });
}

function joinAt(world: StoreWorld, store: Store, agent: string, path: string) {
  const target = { host: "host-1", paths: [path], otherwise: world.newRoom(path) };
  return store.change(target, (loaded) => joinRoom(loaded.room, world.given(agent, loaded.moment), loaded.handles));
}

async function handlesIn(world: StoreWorld): Promise<readonly string[]> {
  const { rooms } = await world.store.readRooms({});
  return rooms.flatMap((room) => [...room.presence.values()].map(({ handle }) => handle));
}
