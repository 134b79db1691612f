import { expect, it } from "vitest";
import { asAgentId } from "../../src/domain/ids.ts";
import { RoomWorld, statusOf } from "../support/room-world.ts";

it("an agent that calls without naming a process is not judged by one that died before", () => {
  const world = new RoomWorld();
  world.join("a");
  world.look("a");
  world.join("b");
  world.kill("b").advance(60_000);
  expect(world.wait("b", { withoutProcess: true })).toMatchObject({ status: "not_yet", queuePosition: 1 });
  expect(world.release("a")).toMatchObject({ reservedFor: "b" });
  expect(statusOf(world.wait("b", { withoutProcess: true }))).toBe("your_turn");
  world.advance(60_000);
  expect(world.state()).toBe("owned");
});

it("a process that is alive goes on standing for an agent whose later calls name none", () => {
  const world = new RoomWorld();
  world.join("a");
  world.join("a", { withoutProcess: true });
  expect(world.room.presence.get(asAgentId("a"))?.process).not.toBeNull();
});

it("without a grace, a dead caller's place is gone with the first look at it", () => {
  const world = new RoomWorld({ waitGraceMs: 0 });
  world.join("a");
  world.look("a");
  world.wait("b");
  world.kill("b-call");
  world.heartbeat("a");
  expect(world.room.waits.size).toBe(0);
});
