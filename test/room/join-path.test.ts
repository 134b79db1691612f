import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { accepted, ServiceWorld } from "../support/service-world.ts";

it("a path inside a workspace joins the room at the workspace's root", async () => {
  const world = new ServiceWorld();
  const inside = world.directory("project/src/deep");
  writeFileSync(join(world.root, "project/package.json"), "{}");
  const joined = accepted(await world.as("claude:1").joinPath({ contextPath: inside }));
  expect(joined).toMatchObject({
    canonicalPath: join(world.root, "project"),
    workspaceRoot: join(world.root, "project"),
    requestedPath: inside,
    joinedExistingRoom: false,
    handle: "claude",
    roomState: "idle",
    cursorEventSeq: 1,
  });
  const again = accepted(await world.as("claude:2").joinPath({ contextPath: join(world.root, "project") }));
  expect(again).toMatchObject({ roomId: joined.roomId, joinedExistingRoom: true, handle: "claude-2" });
});

it("a member that left and joins again has returned, by any call; one that never was there joins for the first time", async () => {
  const world = new ServiceWorld();
  const contextPath = world.directory("project");
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath }));
  const comings = [
    () => world.as("b").joinPath({ contextPath }),
    () => world.as("b").addNote({ roomId, body: "x" }),
    () => world.as("b").sendMessage({ roomId, to: "a", body: "x" }),
    () => world.as("b").waitForTurn({ roomId, maxWaitMs: 0 }),
  ];
  for (const come of comings) {
    accepted<object>(await come());
    accepted(await world.as("b").leaveRoom({ roomId }));
  }
  accepted(await world.as("c").addNote({ roomId, body: "x" }));
  const { events } = accepted(await world.as("a").getRoomEvents({ roomId }));
  const joins = events.filter(({ eventType }) => eventType === "member_joined");
  expect(joins.map(({ fromAgentId, payload }) => `${fromAgentId} ${(payload as { reason: string }).reason}`)).toEqual([
    "a first",
    "b first",
    "b returned",
    "b returned",
    "b returned",
    "c first",
  ]);
});

it("force_new makes a nested room and warns of the one around it", async () => {
  const world = new ServiceWorld();
  const inside = world.directory("project/docs");
  writeFileSync(join(world.root, "project/package.json"), "{}");
  const outer = accepted(await world.as("a").joinPath({ contextPath: inside }));
  const nested = accepted(await world.as("a").joinPath({ contextPath: inside, forceNew: true }));
  expect(nested.roomId).not.toBe(outer.roomId);
  expect(nested.canonicalPath).toBe(inside);
  expect(nested.warning).toContain(outer.canonicalPath);
  const deepest = accepted(await world.as("a").joinPath({ contextPath: inside }));
  expect(deepest.roomId).toBe(nested.roomId);
});

it("force_new at a path that has a room joins it and says that it had no effect", async () => {
  const world = new ServiceWorld();
  const path = world.directory("project");
  const first = accepted(await world.as("a").joinPath({ contextPath: path, forceNew: true }));
  expect(first.warning).toBeUndefined();
  const second = accepted(await world.as("b").joinPath({ contextPath: path, forceNew: true }));
  expect(second).toMatchObject({ roomId: first.roomId, joinedExistingRoom: true });
  expect(second.warning).toContain("no effect");
});

it("a symlink and a file lead to the same room as the directory", async () => {
  const world = new ServiceWorld();
  const path = world.directory("project");
  writeFileSync(join(path, "package.json"), "{}");
  symlinkSync(path, join(world.root, "link"));
  const rooms = await Promise.all(
    [path, join(world.root, "link"), join(path, "package.json")].map((contextPath) =>
      world.as("a").joinPath({ contextPath }),
    ),
  );
  expect(new Set(rooms.map((room) => accepted(room).roomId)).size).toBe(1);
});

it("a missing path is refused and nothing is made", async () => {
  const world = new ServiceWorld();
  expect(await world.as("a").joinPath({ contextPath: join(world.root, "nothing") })).toMatchObject({
    error: "invalid_path",
  });
  expect(accepted(await world.as("a").listRooms({})).rooms).toEqual([]);
});

it("members of the same harness in one project get different handles", async () => {
  const world = new ServiceWorld();
  const path = world.directory("project");
  const handles = [];
  for (const agent of ["codex:1", "codex:2", "codex:3"]) {
    handles.push(accepted(await world.as(agent).joinPath({ contextPath: path })).handle);
  }
  expect(handles).toEqual(["codex", "codex-2", "codex-3"]);
});

it("lists hide rooms that have been idle for very long", async () => {
  const world = new ServiceWorld({ idleRoomTtlMs: 1000 });
  await world.as("a").joinPath({ contextPath: world.directory("old") });
  world.nowMs += 2000;
  await world.as("a").joinPath({ contextPath: world.directory("new") });
  const { rooms } = accepted(await world.as("a").listRooms({}));
  expect(rooms.map((room) => room.canonicalPath)).toEqual([join(world.root, "new")]);
});
