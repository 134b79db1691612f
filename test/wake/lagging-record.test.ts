/** Wakes of a session whose hooks and whose harness say different things about it. */
import { describe, expect, it } from "vitest";
import { wallTime } from "../../src/core/time.ts";
import type { ActivityState } from "../../src/session/rules/session.ts";
import { WakingWorld } from "./waking-world.ts";

const WAKE = { wake: "auto" } as const;

/** The harness says `record` of its session, since before the hook that told otherwise. */
async function lagging(record: ActivityState, told: ActivityState) {
  const world = await WakingWorld.open();
  // A tool was used some time ago.
  world.showLife();
  world.world.nowMs += 1000;
  const { nowMs } = world.world;
  Object.assign(world, { hasInbox: true, activity: record, activityMs: nowMs - 200 });
  await world.know({ sessionId: "session-b", hooked: true, activity: { state: told, since: wallTime(nowMs - 10) } });
  return world;
}

describe("given a harness whose own record lags behind its hooks", () => {
  it("a message right after the stop hook wakes", async () => {
    const world = await lagging("busy", "idle");
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired", willBeSeen: "on_wake" });
    expect(world.acts).toEqual(["push"]);
  });

  it("a message right after the prompt hook wakes nobody, because hooks show it", async () => {
    const world = await lagging("idle", "busy");
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "skipped_busy", willBeSeen: "turn_end" });
    expect(world.acts).toEqual([]);
  });

  it("that the record catches up is no sign that a wake has worked", async () => {
    const world = await lagging("busy", "idle");
    world.push = async () => {
      Object.assign(world, { activity: "idle", activityMs: world.world.nowMs });
      return "sent";
    };
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "fired_unconfirmed", willBeSeen: "unknown" });
  });

  it("a session that used a tool after its stop hook is at work", async () => {
    const world = await lagging("busy", "idle");
    world.world.nowMs += 50;
    world.showLife();
    expect(await world.send(WAKE)).toMatchObject({ wakeStatus: "skipped_busy", willBeSeen: "turn_end" });
    expect(world.acts).toEqual([]);
  });
});
