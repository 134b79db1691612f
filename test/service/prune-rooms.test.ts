import { expect, it } from "vitest";
import { pruneRooms } from "../../src/service/prune-rooms.ts";
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

it("the history of a room in which somebody is active stays, even if it is named", async () => {
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
