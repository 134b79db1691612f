/** Given agents on several machines, then each look at their room says where they are, and which machines are silent. */
import { describe, expect, test } from "vitest";
import { asRoomId } from "../../src/core/ids.ts";
import { roomPicture } from "../../src/peers/room-picture.ts";
import type { AgentRow } from "../../src/peers/rules/picture-agents.ts";
import { createTalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { agentCalled } from "../support/service-ports.ts";
import { accepted } from "../support/service-world.ts";
import { TwoMachineWorld } from "../support/two-machine-world.ts";

/** Ann is here, bob on the machine with the id `m2`, cy on the one with the id `m3`. */
async function threeMachines() {
  const world = new TwoMachineWorld();
  const contextPath = world.directory("tree");
  const [ann, bob, cy] = [world.as("ann:1"), world.on("m2", "bob:1"), world.on("m3", "cy:1")];
  const { roomId } = accepted(await ann.joinPath({ contextPath }));
  for (const agent of [bob, cy]) accepted(await agent.joinPath({ contextPath }));
  const picture = async () => accepted(await roomPicture(world.deps, world.callerOf("ann:1"), asRoomId(roomId)));
  const rows = async () => {
    const { agents } = await picture();
    const row = (agent: string) => agents.find(({ agentId }) => agentId === agent) as AgentRow;
    return { ann: row("ann:1"), bob: row("bob:1"), cy: row("cy:1") };
  };
  return { world, ann, bob, cy, roomId, contextPath, picture, rows };
}

describe("the picture of a room", () => {
  test("names the machines of agents that are elsewhere, and tells equal names apart", async () => {
    const { world, rows } = await threeMachines();
    world.hear("m2", "laptop").hear("m3", "db-3");
    const { ann, bob, cy } = await rows();
    expect(ann.machine).toBeNull();
    expect(bob.machine).toEqual({ name: "laptop (m2)", silentSince: null });
    expect(cy.machine).toEqual({ name: "db-3", silentSince: null });
  });

  test("shows an agent as silent since its machine was last heard of, and no longer when that is back", async () => {
    const { world, bob, rows, picture } = await threeMachines();
    accepted(await bob.reportActivity({ contextPath: world.directory("tree"), activity: "busy" }));
    const since = new Date(world.moment.wallMs).toISOString();
    world.hear("m2", "db-2").advance(49_999);
    expect((await rows()).bob).toMatchObject({ mark: "works", machine: { name: "db-2", silentSince: null } });
    world.advance(1);
    expect((await rows()).bob).toMatchObject({ mark: "silent", machine: { name: "db-2", silentSince: since } });
    expect((await rows()).ann.mark).toBe("idle");
    expect((await picture()).agents.map(({ agentId }) => agentId)).toEqual(["bob:1", "ann:1", "cy:1"]);
    world.hear("m2", "db-2");
    expect((await rows()).bob).toMatchObject({ mark: "works", machine: { silentSince: null } });
  });

  test("shows no agent as silent while another one calls from its machine, or after that was restarted", async () => {
    const { world, cy, contextPath, rows } = await threeMachines();
    const dan = world.on("m2", "dan:1");
    accepted(await dan.joinPath({ contextPath }));
    world.hear("m2", "db-2").hear("m3", "db-3").advance(60_000);
    expect([(await rows()).bob.mark, (await rows()).cy.mark]).toEqual(["silent", "silent"]);
    accepted(await dan.joinPath({ contextPath }));
    world.hear("m3", "db-3", "next");
    expect((await rows()).bob).toMatchObject({ mark: "idle", machine: { name: "db-2", silentSince: null } });
    expect((await rows()).cy).toMatchObject({ mark: "idle", machine: { name: "db-3", silentSince: null } });
    const { sessions } = accepted(await cy.listProjectSessions({ contextPath }));
    expect(sessions.filter(({ hostSilentMs }) => hostSilentMs !== undefined)).toEqual([]);
  });

  test("says that a holder's machine is silent, and that the stick can be taken over", async () => {
    const { world, ann, bob, roomId, picture } = await threeMachines();
    accepted(await bob.waitForTurn({ roomId, maxWaitMs: 0 }));
    world.hear("m2", "db-2").advance(60_000);
    const { now, why } = await picture();
    expect(now.state).toBe("silent_owner");
    expect(why).toEqual({
      reason: { kind: "holder_silent", holder: "bob:1", waiting: [] },
      isStuck: true,
      step: { do: "takeover_stick", with: { expected_turn_id: 1 } },
    });
    const taken = accepted(await ann.takeoverStick({ roomId, expectedTurnId: 1, reason: "its machine is silent" }));
    expect(taken).toMatchObject({ status: "your_turn", ground: "host_silent" });
    expect((await picture()).why.isStuck).toBe(false);
  });
});

test("the state of a room says the same of its members, and nothing where all are here", async () => {
  const { world, ann, roomId, contextPath } = await threeMachines();
  world.hear("m2", "db-2").hear("m3", "db-3").advance(60_000).hear("m3", "db-3");
  const { room, members } = accepted(await ann.getRoomState({ roomId }));
  const machines = members.map(({ agentId, host, hostSilentMs }) => ({ agentId, host, hostSilentMs }));
  expect(machines).toEqual([
    { agentId: "ann:1", host: undefined, hostSilentMs: undefined },
    { agentId: "bob:1", host: "db-2", hostSilentMs: 60_000 },
    { agentId: "cy:1", host: "db-3", hostSilentMs: undefined },
  ]);
  expect(room).not.toHaveProperty("hostName");
  const alone = new TwoMachineWorld();
  const joined = accepted(await alone.as("ann:1").joinPath({ contextPath }));
  const seen = accepted(await alone.as("ann:1").getRoomState({ roomId: joined.roomId }));
  expect(seen.members[0]).not.toHaveProperty("host");
});

test("a room of another machine is named with it, in its state, its picture and the list", async () => {
  const { world, ann, roomId: ownId, contextPath } = await threeMachines();
  const there = createTalkingStick({ ...world.deps, host: "m2" }, { ...agentCalled("dan:1"), process: null });
  const { roomId } = accepted(await there.joinPath({ contextPath }));
  expect(roomId).not.toBe(ownId);
  const since = new Date(world.moment.wallMs).toISOString();
  world.hear("m2", "db-2").advance(60_000);
  const told = { host: "m2", hostName: "db-2", hostSilentMs: 60_000 };
  expect(accepted(await ann.getRoomState({ roomId })).room).toMatchObject(told);
  const { rooms } = accepted(await ann.listRooms({ contextPath }));
  expect(rooms.find((room) => room.roomId === roomId)).toMatchObject(told);
  expect(rooms.find((room) => room.roomId === ownId)).not.toHaveProperty("hostName");
  const { machine, detail } = accepted(await roomPicture(world.deps, world.callerOf("ann:1"), asRoomId(roomId)));
  expect(machine).toEqual({ name: "db-2", silentSince: since });
  expect(detail.hostName).toBe("db-2");
});
