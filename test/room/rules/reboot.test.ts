/** After a reboot the clock begins again: then wall-clock time tells how long a member has been away. */
import { expect, it } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { alivenessIn } from "../../../src/room/rules/liveness.ts";
import { RoomWorld } from "../../support/room-world.ts";

const HOUR_MS = 3_600_000;
const BY_NAME = { withoutProcess: true };

function afterReboot(awayMs: number): RoomWorld {
  const world = new RoomWorld({ presenceTtlMs: 4 * HOUR_MS });
  world.join("a", BY_NAME);
  world.join("b", BY_NAME);
  world.join("harnessed");
  world.epoch = "boot-2";
  world.nowMs = 5_000;
  world.wallMs += awayMs;
  return world.kill("harnessed");
}

function active(world: RoomWorld): string[] {
  const given = world.given("a", BY_NAME);
  return [...world.room.state.members.keys()].filter((agentId) => alivenessIn(world.room, agentId, given).isActive);
}

it("a member that was seen a minute ago is there after a reboot, unless its process is gone", () => {
  expect(active(afterReboot(60_000))).toEqual(["a", "b"]);
});

it("coming back within the time of presence is no return, and costs no place in the queue", () => {
  const world = afterReboot(60_000);
  const before = world.room.state.members;
  world.join("b", BY_NAME);
  world.join("harnessed", BY_NAME);
  expect(world.eventTypes()).toEqual(["member_joined", "member_joined", "member_joined"]);
  expect(world.room.state.members).toEqual(before);
});

it("an absence longer than the time of presence is one also across a reboot", () => {
  const world = afterReboot(4 * HOUR_MS + 1);
  expect(active(world)).toEqual([]);
  world.join("b", BY_NAME);
  expect(world.events.slice(3)).toMatchObject([
    { type: "member_left", fromAgentId: "harnessed", payload: { reason: "process_gone" } },
    { type: "member_joined", fromAgentId: "b", payload: { reason: "returned" } },
  ]);
});

it("a wall clock that was set back sends nobody away", () => {
  const world = afterReboot(-1000 * HOUR_MS);
  expect(active(world)).toEqual(["a", "b"]);
  world.join("b", BY_NAME);
  expect(world.room.state.members.has(asAgentId("harnessed"))).toBe(true);
});
