/** A call that outlives its agent's harness: no agent is left that could read its answer. */
import { describe, expect, it } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { emptyMailbox, withReceiver } from "../../../src/mail/rules/mailbox.ts";
import { willBeSeen } from "../../../src/mail/rules/will-be-seen.ts";
import { peekTurn } from "../../../src/stick/rules/wait.ts";
import { codeOf, processOf, RoomWorld, statusOf } from "../../support/room-world.ts";

const B = asAgentId("b");

/** `a` holds the stick, `b` waits for it, and then the harness of `b` dies. */
function orphanedWait(): RoomWorld {
  const world = new RoomWorld();
  world.wait("a");
  world.wait("b");
  return world.advance(20_000).kill("b");
}

describe("a wait whose harness is gone", () => {
  it("ends with session_ended, and its place in the queue with it", () => {
    const world = orphanedWait();
    const seenBefore = world.room.presence.get(B);
    expect(world.wait("b")).toMatchObject({ error: "session_ended", facts: { agent_id: "b" } });
    expect(world.room.waits.size).toBe(0);
    expect(world.room.presence.get(B)).toBe(seenBefore);
  });

  it("does not go on looking", () => {
    const world = orphanedWait();
    expect(peekTurn(world.room, world.given("b"), true)).toBe("act");
    expect(peekTurn(world.room, world.given("b"), false)).toBe("act");
  });

  it("claims neither an idle stick nor one that was reserved for it", () => {
    const world = orphanedWait();
    expect(world.release("a")).toMatchObject({ reservedFor: null });
    expect(codeOf(world.wait("b"))).toBe("session_ended");
    expect(world.state()).toBe("idle");
    const reserved = new RoomWorld();
    reserved.wait("a");
    reserved.wait("b");
    reserved.release("a");
    reserved.kill("b");
    expect(codeOf(reserved.wait("b"))).toBe("session_ended");
    expect(reserved.room.state).toMatchObject({ owner: null, reservation: { agentId: "b" } });
  });

  it("does not join a room, and does not renew a lease", () => {
    const world = new RoomWorld();
    world.wait("a");
    const { deadline } = world.room.lease!;
    world.advance(1000).kill("a").kill("stranger");
    expect(codeOf(world.wait("a"))).toBe("session_ended");
    expect(world.room.lease?.deadline).toEqual(deadline);
    expect(codeOf(world.wait("stranger"))).toBe("session_ended");
    expect(world.room.state.members.has(asAgentId("stranger"))).toBe(false);
  });

  it("leaves the place of another call of its agent's alone", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b", { call: "call of the resumed session", process: processOf("resumed") });
    world.kill("b");
    expect(codeOf(world.wait("b"))).toBe("session_ended");
    expect(world.release("a")).toMatchObject({ reservedFor: "b" });
  });
});

it.each([
  ["a harness that cannot be seen", (world: RoomWorld) => world.loseSightOf("b"), {}],
  ["no harness", (world: RoomWorld) => world.kill("b"), { withoutProcess: true }],
] as const)("a wait with %s goes on", (_, happen, options) => {
  const world = new RoomWorld();
  world.wait("a");
  world.wait("b", options);
  happen(world);
  expect(statusOf(world.wait("b", options))).toBe("not_yet");
  world.release("a");
  expect(statusOf(world.wait("b", options))).toBe("your_turn");
});

/** What a sender is told while a command of `b` receives its mail. */
function told(world: RoomWorld, harness?: string) {
  const until = { epoch: "boot-1", ms: world.nowMs + 60_000 };
  const receiver = { process: processOf("b-call"), until, ...(harness && { harness: processOf(harness) }) };
  world.see("b-call");
  const box = withReceiver(emptyMailbox(B), receiver, () => false);
  return willBeSeen([world.room], box, world.given("a"));
}

describe("a receiver", () => {
  it("whose harness is gone shows nothing to anybody", () => {
    const world = new RoomWorld();
    world.join("b");
    expect(told(world.see("b"), "b")).toBe("now");
    expect(told(world.loseSightOf("b"), "b")).toBe("now");
    expect(told(world.kill("b"), "b")).toBe("unknown");
    expect(told(world.advance(60_000), "b")).toBe("when_it_returns");
  });

  it("of a resumed session is not judged by the harness of before", () => {
    const world = new RoomWorld();
    world.join("b");
    expect(told(world.kill("b").see("resumed"), "resumed")).toBe("now");
  });

  it("without a harness is judged by its own process alone", () => {
    const world = new RoomWorld();
    world.join("b", { withoutProcess: true });
    expect(told(world.kill("b"))).toBe("now");
  });
});
