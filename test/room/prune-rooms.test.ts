import { expect, it } from "vitest";
import { pruneRooms } from "../../src/room/prune-rooms.ts";
import { HANDOFF } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

async function usedRoom(world: ServiceWorld) {
  const a = world.as("a");
  const { roomId } = accepted(await a.joinPath({ contextPath: world.directory("project") }));
  const turn = accepted(await a.waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error("a should hold the stick");
  await a.releaseStick({ roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId, handoff: HANDOFF });
  await a.addNote({ roomId, body: "still open" });
  return roomId;
}

it("the history of a room with an active member stays, even if it is named", async () => {
  const world = new ServiceWorld();
  const roomId = await usedRoom(world);
  expect(await pruneRooms(world.deps, { roomId, carryOut: true })).toMatchObject({ error: "target_active" });
  expect(accepted(await pruneRooms(world.deps, { carryOut: true })).rooms).toEqual([]);
});

it("a forgotten room keeps its turn counter, its open notes and its handoff", async () => {
  const world = new ServiceWorld({ idleRoomTtlMs: 1000 });
  const roomId = await usedRoom(world);
  world.gone.add("a");
  world.nowMs += 60_000;
  expect(accepted(await pruneRooms(world.deps, { carryOut: false })).rooms).toMatchObject([{ roomId, pruned: false }]);
  expect(accepted(await pruneRooms(world.deps, { carryOut: true })).rooms).toMatchObject([{ roomId, pruned: true }]);
  const events = await world.deps.store.readEvents(roomId, 0, 100);
  expect(events.map((event) => event.type)).toEqual(["release"]);
  expect(accepted(await world.as("b").listNotes({ roomId })).notes).toHaveLength(1);
  expect(await world.as("b").waitForTurn({ roomId, maxWaitMs: 0 })).toMatchObject({ turnId: 2, handoff: HANDOFF });
});

it("of a log that was pruned the newest events that are left are shown, and the cursor is its end", async () => {
  const world = new ServiceWorld({ idleRoomTtlMs: 1000 });
  const roomId = await usedRoom(world);
  world.gone.add("a");
  world.nowMs += 60_000;
  accepted(await pruneRooms(world.deps, { carryOut: true }));
  for (const limit of [1, 3, 50]) {
    const { events, cursorEventSeq } = accepted(await world.as("b").getRoomEvents({ roomId, limit }));
    expect([events.map(({ eventType }) => eventType), cursorEventSeq]).toEqual([["release"], 4]);
  }
});

it("a second pruning finds nothing to forget", async () => {
  const world = new ServiceWorld({ idleRoomTtlMs: 1000 });
  await usedRoom(world);
  world.gone.add("a");
  world.nowMs += 60_000;
  expect(accepted(await pruneRooms(world.deps, { carryOut: true }))).toMatchObject({
    rooms: [{ pruned: true }],
    removed: { members: 1, handles: 1 },
  });
  expect(accepted(await pruneRooms(world.deps, { carryOut: false }))).toEqual({ rooms: [] });
  expect(accepted(await pruneRooms(world.deps, { carryOut: true }))).toMatchObject({ rooms: [], removed: {} });
});

it("members that are gone leave a room that is in use, and those that live stay", async () => {
  const world = new ServiceWorld({ presenceTtlMs: 10_000 });
  const roomId = await usedRoom(world);
  for (const agent of ["b", "c"]) accepted(await world.as(agent).joinPath({ contextPath: world.directory("project") }));
  world.gone.add("a").add("b");
  world.nowMs += 60_000;
  accepted(await world.as("d").joinPath({ contextPath: world.directory("project") }));
  const pruned = accepted(await pruneRooms(world.deps, { carryOut: true, idleForMs: 30_000 }));
  expect(pruned.rooms).toEqual([]);
  const state = accepted(await world.as("d").getRoomState({ roomId }));
  expect(state.members.map(({ agentId }) => agentId)).toEqual(["c", "d"]);
});

it("a list of members shows who is active and the last seen of the others, and counts the rest", async () => {
  const world = new ServiceWorld();
  const contextPath = world.directory("project");
  for (let number = 1; number <= 30; number += 1) {
    world.nowMs += 1000;
    accepted(await world.as(`x:${number}`).joinPath({ contextPath }));
  }
  world.nowMs += world.deps.policy.presenceTtlMs;
  const joined = accepted(await world.as("me").joinPath({ contextPath }));
  expect([joined.members.length, joined.membersNotListed]).toEqual([21, 10]);
  const names = joined.members.map(({ agentId }) => agentId);
  expect([names[0], names.at(-2), names.at(-1)]).toEqual(["x:11", "x:30", "me"]);
});
