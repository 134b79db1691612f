import { expect, it } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { processOf, RoomWorld, statusOf } from "../../support/room-world.ts";

const RESUMED = { process: processOf("resumed") };

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

it("what a dead harness had begun does not make its resumed session look dead", () => {
  const world = new RoomWorld();
  world.join("b");
  world.kill("b").see("resumed");
  world.wait("b", RESUMED);
  world.addNote("b", "from the harness of before");
  expect(world.room.presence.get(asAgentId("b"))).toMatchObject({
    process: RESUMED.process,
    lastSeen: { ms: world.nowMs },
  });
  world.advance(60_000);
  expect(world.state()).toBe("owned");
});

it("it says nothing either about a session that is known by no process", () => {
  const world = new RoomWorld();
  world.wait("b", { withoutProcess: true });
  world.kill("b").addNote("b", "from the harness of before");
  world.advance(60_000);
  expect(world.state()).toBe("owned");
});

it("a session of which every process is gone is gone", () => {
  const world = new RoomWorld();
  world.wait("b", RESUMED);
  world.kill("b").kill("resumed").addNote("b", "from the harness of before");
  world.advance(60_000);
  expect(world.state()).toBe("owner_gone");
});

it("a resumed session is known by its new process, whether the old one is gone or cannot be seen", () => {
  const world = new RoomWorld();
  world.join("b");
  world.loseSightOf("b").join("b", RESUMED);
  expect(world.room.presence.get(asAgentId("b"))?.process).toEqual(RESUMED.process);
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
