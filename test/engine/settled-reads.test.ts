/** What a read says is what the next changing call will find, though a read writes nothing down. */
import { expect, it } from "vitest";
import { HANDOFF } from "../support/room-world.ts";
import { accepted, ServiceWorld } from "../support/service-world.ts";

const HOUR_MS = 3_600_000;

async function roomOf(world: ServiceWorld, ...agents: readonly string[]) {
  const contextPath = world.directory("project");
  const joins = [];
  for (const agent of agents) joins.push(accepted(await world.as(agent).joinPath({ contextPath })));
  return { contextPath, roomId: joins[0]?.roomId as string };
}

async function takeTurn(world: ServiceWorld, agent: string, roomId: string) {
  const turn = accepted(await world.as(agent).waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error(`${agent} has no turn: ${turn.status}`);
  return { roomId, leaseId: turn.leaseId, expectedTurnId: turn.turnId };
}

/** A call that waited without success: its place is kept for the room's grace. */
async function keepPlace(world: ServiceWorld, agent: string, roomId: string) {
  const enough = new AbortController();
  enough.abort();
  await world.as(agent).waitForTurn({ roomId, maxWaitMs: 60_000, enough: enough.signal });
}

async function memberOf(world: ServiceWorld, roomId: string, agent: string) {
  const { members } = accepted(await world.as("d").getRoomState({ roomId }));
  return members.find(({ agentId }) => agentId === agent);
}

it("after a sleep of the machine, reads give the holder the same grace as a takeover does", async () => {
  const world = new ServiceWorld();
  const { roomId, contextPath } = await roomOf(world, "a", "d");
  await takeTurn(world, "a", roomId);
  world.sleep(3 * HOUR_MS);
  const { room } = accepted(await world.as("d").getRoomState({ roomId }));
  expect(room).toMatchObject({ state: "owned", leaseExpiresAt: new Date(world.nowMs + 60_000).toISOString() });
  const { rooms } = accepted(await world.as("d").listRooms({ contextPath }));
  expect(rooms[0]).toMatchObject({ state: "owned", updatedAt: room.updatedAt });
  expect(await world.as("d").takeoverStick({ roomId, expectedTurnId: 1, reason: "x" })).toMatchObject({
    error: "takeover_not_available",
    facts: { room_state: "owned" },
  });
});

it("after a sleep of the machine, reads still show the waiters in their places", async () => {
  const world = new ServiceWorld();
  const { roomId, contextPath } = await roomOf(world, "a", "b", "d");
  const turn = await takeTurn(world, "a", roomId);
  await keepPlace(world, "b", roomId);
  world.sleep(HOUR_MS);
  expect(await memberOf(world, roomId, "b")).toMatchObject({ waiting: true, queuePosition: 1, reachable: true });
  const { sessions } = accepted(await world.as("d").listProjectSessions({ contextPath }));
  expect(sessions.find(({ agentId }) => agentId === "b")).toMatchObject({ reachable: true });
  expect(await world.as("a").releaseStick({ ...turn, handoff: HANDOFF })).toMatchObject({ reservedFor: "b" });
});
