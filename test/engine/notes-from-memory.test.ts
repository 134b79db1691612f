/** A note is written without looking at the room first, and misses nothing for that. */
import { expect, test, vi } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";
import { storeOnClock } from "../support/store-on-clock.ts";

/** `a` writes notes, and knows the room as it was after the first of them. */
async function writerInRoom() {
  const world = new ServiceWorld();
  const contextPath = world.directory("project");
  // What a process remembers of a room, it remembers by its store: the others are in processes of their own.
  const store = storeOnClock(world.deps.store, world.deps.clock);
  const reading = vi.spyOn(store, "readRoom");
  const writer = world.as("a", { store });
  const { roomId } = accepted(await writer.joinPath({ contextPath }));
  const note = async () => {
    reading.mockClear();
    const { noteId } = accepted(await writer.addNote({ roomId, body: "half of it is done" }));
    return { noteId, reads: reading.mock.calls.length };
  };
  await note();
  return { world, contextPath, writer, roomId, note };
}

test("a process that knows the room does not read it again", async () => {
  const { writer, roomId, note } = await writerInRoom();
  const { noteId, reads } = await note();
  expect(reads).toBe(0);
  expect(accepted(await writer.resolveNote({ roomId, noteId })).resolvedByAgentId).toBe(asAgentId("a"));
});

test("members that joined since are looked at, too", async () => {
  const { world, contextPath, roomId, note } = await writerInRoom();
  const holder = world.as("b");
  accepted(await holder.joinPath({ contextPath }));
  const turn = accepted(await holder.waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error(turn.status);
  // Its place in the queue is kept.
  accepted(await world.as("c").waitForTurn({ roomId, enough: AbortSignal.abort() }));
  const token = { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId };
  accepted(await holder.releaseStick({ ...token, handoff: { status: "done", nextAction: "go on" } }));
  world.gone.add("c");
  world.nowMs += 15_001;
  await note();
  const { events } = accepted(await world.as("b").getRoomEvents({ roomId }));
  expect(events.findLast(({ eventType }) => eventType === "reservation_expired")?.payload).toMatchObject({
    cause: "recipient_gone",
  });
});
