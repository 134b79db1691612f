/** Given agents on two machines, when one machine is not heard of, then the stick can be taken over and nothing else is lost. */
import { describe, expect, test } from "vitest";
import { waitingInOrder } from "../../../src/room/rules/queue.ts";
import { HANDOFF, processOf, RoomWorld } from "../../support/room-world.ts";

const far = (agent: string) => ({ process: { ...processOf(agent), host: "far" } });

/** The holder, another agent of its machine, and one of this machine. */
function heldFromAfar(): RoomWorld {
  const world = new RoomWorld().hear("far");
  world.join("holder:1", far("holder:1"));
  world.join("mate:1", far("mate:1"));
  world.join("waiter:1");
  world.wait("holder:1", far("holder:1"));
  return world;
}

describe("a holder whose machine is silent", () => {
  test("may be taken over from after 50 s, and not before", () => {
    const world = heldFromAfar().advance(49_999);
    expect(world.wait("waiter:1")).toMatchObject({ status: "not_yet", roomState: "owned" });
    expect(world.takeover("waiter:1")).toMatchObject({ error: "takeover_not_available" });
    world.advance(8001);
    expect(world.wait("waiter:1")).toMatchObject({
      status: "takeover_available",
      reason: "host_silent",
      roomState: "silent_owner",
      hostSilentMs: 58_000,
    });
    const token = world.token();
    expect(world.takeover("waiter:1")).toMatchObject({ status: "your_turn", ground: "host_silent" });
    world.hear("far");
    expect(world.release("holder:1", HANDOFF, token)).toMatchObject({ error: "turn_mismatch" });
  });

  test("loses nothing by the silence itself, and keeps the stick when it is heard of again", () => {
    const world = heldFromAfar().advance(120_000);
    expect(world.kick("waiter:1", "holder:1")).toMatchObject({ error: "target_active" });
    expect(world.room.state.owner).toBe("holder:1");
    expect(world.room.state.members.size).toBe(3);
    world.hear("far");
    expect(world.wait("waiter:1")).toMatchObject({ status: "not_yet", roomState: "owned" });
  });
});

test("a holder that works by calls on a machine with a killed process loses nothing", () => {
  const world = heldFromAfar();
  for (let calls = 0; calls < 30; calls += 1) {
    expect(world.heartbeat("holder:1", world.token(), far("holder:1"))).toMatchObject({ status: "ok" });
    expect(world.wait("waiter:1")).toMatchObject({ status: "not_yet", roomState: "owned" });
    world.advance(5000);
  }
  expect(world.takeover("waiter:1")).toMatchObject({ error: "takeover_not_available" });
  world.advance(45_000);
  expect(world.wait("waiter:1")).toMatchObject({ status: "takeover_available", hostSilentMs: 50_000 });
});

test("a wait from a silent machine is served after the others, and first again when it is back", () => {
  const world = new RoomWorld().hear("far");
  world.join("holder:1");
  world.join("mate:1", far("mate:1"));
  world.join("waiter:1");
  world.wait("holder:1");
  world.wait("mate:1", { ...far("mate:1"), forMs: 600_000, on: "far" });
  world.wait("waiter:1", { forMs: 600_000 });
  const order = () => waitingInOrder(world.room, world.given("holder:1"));
  world.advance(10_000);
  expect(order()).toEqual(["mate:1", "waiter:1"]);
  world.advance(50_000);
  expect(order()).toEqual(["waiter:1", "mate:1"]);
  world.hear("far");
  expect(order()).toEqual(["mate:1", "waiter:1"]);
});
