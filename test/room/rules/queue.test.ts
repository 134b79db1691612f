import { describe, expect, it } from "vitest";
import { listMembers } from "../../../src/room/rules/view.ts";
import { endWait, peekTurn } from "../../../src/stick/rules/wait.ts";
import { processOf, RoomWorld } from "../../support/room-world.ts";

/** `a` holds, and these wait in this order. */
function queueOf(world: RoomWorld, ...agents: readonly string[]): RoomWorld {
  world.wait("a");
  for (const agent of agents) world.wait(agent, { forMs: 600_000 });
  return world;
}

describe("a call that died", () => {
  it("lets the living be served first, and keeps a place behind them", () => {
    const world = queueOf(new RoomWorld(), "d", "c");
    world.kill("d-call");
    expect(world.release("a")).toMatchObject({ reservedFor: "c", waitingCount: 2 });
    world.wait("c");
    expect(world.release("c")).toMatchObject({ reservedFor: "d" });
  });

  it("starts the grace when it is found, and has no place after that", () => {
    const world = queueOf(new RoomWorld({ waitGraceMs: 3000 }), "d", "c");
    world.kill("d-call").join("x");
    world.advance(2999).join("x");
    expect(world.room.waits.has("d" as never)).toBe(true);
    world.advance(1).join("x");
    expect(world.room.waits.has("d" as never)).toBe(false);
  });

  it("is back in its old place as soon as its agent calls again", () => {
    const world = queueOf(new RoomWorld(), "d", "c");
    world.kill("d-call").join("x");
    world.see("d-call");
    expect(world.wait("d", { forMs: 600_000 })).toMatchObject({ queuePosition: 1 });
    expect(world.release("a")).toMatchObject({ reservedFor: "d" });
  });

  it("is not said to wait, and the others move up", () => {
    const world = queueOf(new RoomWorld(), "d", "c");
    world.kill("d-call");
    const places = listMembers(world.room, world.given("x")).members.map((member) => [
      member.agentId,
      member.waiting,
      member.queuePosition,
    ]);
    expect(places).toEqual([
      ["a", false, null],
      ["d", false, null],
      ["c", true, 1],
    ]);
  });

  it("is not one that came to its own end: that keeps its place for the grace, though its process ended too", () => {
    const world = queueOf(new RoomWorld(), "c");
    world.join("b");
    world.wait("e", { forMs: 900_000 });
    world.kill("c-call").advance(600_000);
    expect(world.release("a")).toMatchObject({ reservedFor: "c" });
  });

  it("is not one that was told of a takeover: that keeps its place for the grace as well", () => {
    const world = queueOf(new RoomWorld(), "c", "d");
    world.kill("a").advance(world.room.policy.goneGraceMs);
    expect(world.wait("c", { forMs: 600_000 })).toMatchObject({ status: "takeover_available" });
    world.kill("c-call");
    const [first] = listMembers(world.room, world.given("x")).members.filter(
      ({ queuePosition }) => queuePosition === 1,
    );
    expect(first?.agentId).toBe("c");
  });

  it("does not hide a call of the same agent that lives: that one takes the place again", () => {
    const world = queueOf(new RoomWorld(), "d", "c");
    world.kill("d-call");
    expect(peekTurn(world.room, world.given("d"), true)).toBe("act");
    expect(peekTurn(world.see("d-call").room, world.given("d"), true)).toMatchObject({ status: "not_yet" });
  });
});

describe("a wait that is given up", () => {
  it("leaves a stick that was just laid down for it to the next in the queue", () => {
    const world = queueOf(new RoomWorld(), "b", "c");
    world.release("a");
    world.cancelWait("b");
    expect(world.events.at(-1)).toMatchObject({
      type: "reservation_expired",
      toAgentId: "b",
      payload: { cause: "given_up", reservedFor: "c" },
    });
    expect(world.wait("c")).toMatchObject({ status: "your_turn", reason: "sequence" });
  });

  it("leaves it idle when nobody else waits", () => {
    const world = queueOf(new RoomWorld(), "b");
    world.release("a");
    world.cancelWait("b");
    expect(world.state()).toBe("idle");
  });

  it("leaves what was passed to it by name where it is", () => {
    const world = queueOf(new RoomWorld(), "b", "c");
    world.pass("a", "b");
    world.cancelWait("b");
    expect(world.room.state.reservation).toMatchObject({ agentId: "b", via: "pass" });
    expect(world.room.waits.has("b" as never)).toBe(false);
  });

  it("leaves the place of another call of the same agent alone", () => {
    const world = queueOf(new RoomWorld(), "b", "c");
    const other = { callerProcess: processOf("b-other-call") };
    world.commit(endWait(world.room, world.given("b"), other));
    expect(world.release("a")).toMatchObject({ reservedFor: "b" });
  });
});

describe("fairness", () => {
  it("serves by the time since joining or last holding, longest first", () => {
    const world = new RoomWorld();
    for (const agent of ["a", "b", "c"]) world.join(agent);
    world.wait("a");
    world.wait("c");
    world.wait("b");
    expect(world.release("a")).toMatchObject({ reservedFor: "b" });
    world.wait("b");
    world.wait("a");
    expect(world.release("b")).toMatchObject({ reservedFor: "c" });
  });

  it("nobody is passed over twice by the same peer", () => {
    const world = new RoomWorld();
    const agents = Array.from({ length: 16 }, (_, index) => `agent${index}`);
    for (const agent of agents) world.join(agent);
    let owner = "agent0";
    world.wait(owner);
    const turns: string[] = [];
    for (let turn = 0; turn < 64; turn += 1) {
      for (const agent of agents) if (agent !== owner) world.wait(agent, { forMs: 600_000 });
      const released = world.release(owner) as { reservedFor: string };
      owner = released.reservedFor;
      world.wait(owner);
      turns.push(owner);
    }
    for (let start = 0; start + 16 <= turns.length; start += 1) {
      expect(new Set(turns.slice(start, start + 16)).size).toBe(16);
    }
  });
});
