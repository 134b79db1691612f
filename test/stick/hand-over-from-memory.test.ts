/** A holder that has just claimed hands over without looking at the room first, and misses nothing for that. */
import { expect, test, vi } from "vitest";
import { asRoomId } from "../../src/core/ids.ts";
import { HANDOFF } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";
import { storeOnClock } from "../support/store-on-clock.ts";

/** `a` has just claimed. What a process remembers of a room, it remembers by its store: the others have another one. */
async function holderInRoom() {
  const world = new ServiceWorld();
  const store = storeOnClock(world.deps.store, world.deps.clock);
  const holder = world.as("a", { store });
  const { roomId } = accepted(await holder.joinPath({ contextPath: world.directory("project") }));
  const turn = accepted(await holder.waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error(turn.status);
  const reading = vi.spyOn(store, "readRoom");
  const token = { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId };
  return {
    world,
    reading,
    holder,
    roomId,
    /** Its place in the queue is kept. */
    waits: async (agent: string) =>
      accepted(await world.as(agent).waitForTurn({ roomId, enough: AbortSignal.abort() })),
    release: async () => accepted(await holder.releaseStick({ ...token, handoff: HANDOFF })),
  };
}

test("a holder that has just claimed does not read the room again", async () => {
  const { reading, waits, release } = await holderInRoom();
  await waits("b");
  expect(await release()).toMatchObject({ reservedFor: "b" });
  expect(reading).not.toHaveBeenCalled();
});

test("a holder that claimed long ago does", async () => {
  const { world, reading, release } = await holderInRoom();
  world.nowMs += 1000;
  await release();
  expect(reading).toHaveBeenCalled();
});

test("a waiter that joined and died since is passed over", async () => {
  const { world, waits, release } = await holderInRoom();
  await waits("c");
  await waits("b");
  world.gone.add("c");
  expect(await release()).toMatchObject({ reservedFor: "b" });
});

test("if it waits again at once, it first lets the next one through, and then reads the room", async () => {
  const { world, reading, holder, roomId, waits, release } = await holderInRoom();
  await waits("b");
  await release();
  const again = holder.waitForTurn({ roomId, maxWaitMs: 60_000 });
  expect(reading).not.toHaveBeenCalled();
  const turn = accepted(await world.as("b").waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error(turn.status);
  const token = { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId };
  await vi.waitFor(async () => expect((await world.deps.store.readRoom(asRoomId(roomId)))?.room.waits.size).toBe(1));
  accepted(await world.as("b").releaseStick({ ...token, handoff: HANDOFF }));
  expect(await again).toMatchObject({ status: "your_turn", turnId: 3 });
});
