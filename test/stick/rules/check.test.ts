import { describe, expect, it } from "vitest";
import type { Check } from "../../../src/core/handoff.ts";
import { checkMark, recordCheck } from "../../../src/stick/rules/check.ts";
import { RoomWorld } from "../../support/room-world.ts";

const PASSED: Check = { command: "npm test", exitCode: 0, durationMs: 5, outputDigest: "d", tree: "t1" };

function check(world: RoomWorld, agent: string, given: Check = PASSED) {
  return world.commit(recordCheck(world.room, world.given(agent), given));
}

describe("a check", () => {
  it("of the holder is in the log, and in the handoff of its turn", () => {
    const world = new RoomWorld();
    world.wait("a");
    expect(check(world, "a")).toMatchObject({ recorded: true });
    check(world, "a", { ...PASSED, exitCode: 2 });
    world.release("a");
    expect(world.events.filter(({ type }) => type === "check_run")).toHaveLength(2);
    expect(world.room.state.handoff?.handoff.checks?.map(({ exitCode }) => exitCode)).toEqual([0, 2]);
  });

  it("of a member without the stick is not recorded", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.join("b");
    expect(check(world, "b")).toEqual({ recorded: false });
    expect(world.room.state.checks).toEqual([]);
  });

  it("belongs to its own turn alone", () => {
    const world = new RoomWorld();
    world.wait("a");
    check(world, "a");
    world.release("a");
    world.wait("b");
    world.release("b");
    expect(world.room.state.handoff?.handoff.checks).toBeUndefined();
  });

  it("is one of at most twenty in a handoff, the newest", () => {
    const world = new RoomWorld();
    world.wait("a");
    for (let index = 0; index < 25; index += 1) check(world, "a", { ...PASSED, command: `check ${index}` });
    expect(world.room.state.checks.map(({ command }) => command)).toEqual(
      Array.from({ length: 20 }, (_, index) => `check ${index + 5}`),
    );
  });

  it("cannot be claimed in the words of a handoff", () => {
    const world = new RoomWorld();
    world.wait("a");
    expect(world.release("a", { status: "s", nextAction: "n", checks: [PASSED] })).toMatchObject({
      error: "invalid_handoff",
    });
  });
});

it.each<[exitCode: number, checked: string | null, now: string | null, mark: string]>([
  [0, "t1", "t1", "passed"],
  [0, "t1", "t2", "passed_before_changes"],
  [0, null, "t2", "passed"],
  [0, "t1", null, "passed"],
  [1, "t1", "t1", "failed"],
  [1, "t1", "t2", "failed"],
])("a check that ended with %s on tree %s reads on tree %s as %s", (exitCode, tree, now, mark) => {
  expect(checkMark({ ...PASSED, exitCode, tree }, now)).toBe(mark);
});
