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

/** A call that waited in vain: its place is kept for the room's grace. */
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

it("after a sleep of the machine, reads still show those who waited in their places", async () => {
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

it("a reservation that ran out is not shown any more, though nobody has written that down", async () => {
  const world = new ServiceWorld();
  const { roomId, contextPath } = await roomOf(world, "a", "b", "d");
  const turn = await takeTurn(world, "a", roomId);
  await keepPlace(world, "b", roomId);
  accepted(await world.as("a").releaseStick({ ...turn, handoff: HANDOFF }));
  const before = accepted(await world.as("d").getRoomState({ roomId })).room;
  expect(before).toMatchObject({ state: "reserved", reservedFor: "b" });
  world.nowMs += world.deps.policy.releaseClaimTtlMs + 1;

  const after = accepted(await world.as("d").getRoomState({ roomId })).room;
  expect(after).toEqual({ ...before, state: "idle", reservedFor: null, claimExpiresAt: null });
  expect(accepted(await world.as("d").listRooms({ contextPath })).rooms[0]).toMatchObject({
    state: "idle",
    reservedFor: null,
    updatedAt: before.updatedAt,
  });
  const { events } = accepted(await world.as("d").getRoomEvents({ roomId }));
  expect(events.at(-1)).toMatchObject({ eventType: "release" });
});

it("a reservation that ran out is shown as the next one's, who is offered it by the next call", async () => {
  const world = new ServiceWorld({ waitGraceMs: HOUR_MS });
  const { roomId } = await roomOf(world, "a", "b", "c", "d");
  const turn = await takeTurn(world, "a", roomId);
  await keepPlace(world, "b", roomId);
  await keepPlace(world, "c", roomId);
  accepted(await world.as("a").releaseStick({ ...turn, handoff: HANDOFF }));
  world.nowMs += world.deps.policy.releaseClaimTtlMs + 1;
  const { room } = accepted(await world.as("d").getRoomState({ roomId }));
  expect(room).toMatchObject({ state: "reserved", reservedFor: "c" });
  expect(await world.as("d").waitForTurn({ roomId, maxWaitMs: 0 })).toMatchObject({
    status: "not_yet",
    reservedFor: "c",
    claimExpiresAt: room.claimExpiresAt,
  });
});

it("a member that is long gone is not shown any more, as the next call will take it out", async () => {
  const world = new ServiceWorld();
  const { roomId } = await roomOf(world, "a", "d");
  world.gone.add("a");
  world.nowMs += world.deps.policy.presenceTtlMs;
  expect(await memberOf(world, roomId, "a")).toBeUndefined();
  const { members } = accepted(await world.as("d").joinPath({ contextPath: world.directory("project") }));
  expect(members.map(({ agentId }) => agentId)).toEqual(["d"]);
});
