/** When a call ends was settled when it began, whatever becomes of the room's grace meanwhile. */
import { expect, it } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { alivenessIn } from "../../../src/room/rules/liveness.ts";
import { queuePosition } from "../../../src/room/rules/queue.ts";
import { RoomWorld } from "../../support/room-world.ts";

const B = asAgentId("b");
const BY_NAME = { withoutProcess: true };

/** `a` holds, and a call of `b` waits for ten minutes. */
function waitingFor(waitGraceMs: number): RoomWorld {
  const world = new RoomWorld({ waitGraceMs });
  world.wait("a");
  world.wait("b", { ...BY_NAME, forMs: 600_000 });
  return world;
}

function sightOfB(world: RoomWorld) {
  const given = world.given("a");
  return {
    waiting: alivenessIn(world.room, B, given).isWaiting,
    reachable: alivenessIn(world.room, B, given).isReachable,
    position: queuePosition(world.room, given, B),
  };
}

it("a longer grace does not hide that a call has died before its end", () => {
  const world = waitingFor(1000);
  world.policy("a", { waitGraceMs: 3_600_000 });
  expect(sightOfB(world)).toEqual({ waiting: true, reachable: true, position: 1 });
  world.kill("b-call");
  expect(sightOfB(world)).toEqual({ waiting: false, reachable: false, position: null });
  world.wait("c");
  expect(world.release("a")).toMatchObject({ reservedFor: "c" });
});

it("a call that came to its end keeps its place for the grace that holds now, longer or shorter", () => {
  for (const [before, now] of [
    [1000, 60_000],
    [60_000, 1000],
  ] as const) {
    const world = waitingFor(before);
    world.policy("a", { waitGraceMs: now });
    world.kill("b-call").advance(600_000);
    expect(sightOfB(world), `${before} → ${now}`).toMatchObject({ waiting: true, position: 1 });
    expect(sightOfB(world.advance(now - 1)), `${before} → ${now}`).toMatchObject({ waiting: true, position: 1 });
    expect(sightOfB(world.advance(1)), `${before} → ${now}`).toMatchObject({ waiting: false, position: null });
  }
});

it("a grace that has begun lasts as long as it was to", () => {
  const world = waitingFor(10_000);
  world.kill("b-call").heartbeat("a");
  world.policy("a", { waitGraceMs: 3_600_000 });
  world.advance(10_000).heartbeat("a");
  expect(world.room.waits.size).toBe(0);
});

it("other numbers of the policy move no wait", () => {
  const world = waitingFor(1000);
  const { waits } = world.room;
  world.policy("a", { leaseTtlMs: 60_000 });
  expect(world.room.waits).toBe(waits);
});
