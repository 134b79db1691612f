import { describe, expect, it } from "vitest";
import { codeOf, RoomWorld, statusOf } from "../../support/room-world.ts";

const PERSON = "human:eve";

describe("a paused room", () => {
  it("keeps the stick from a person who works in the name of an agent", () => {
    const world = new RoomWorld();
    world.join("me:b");
    world.pause(PERSON);
    expect(world.wait("me:b", { person: true })).toMatchObject({ status: "not_yet", paused: { by: PERSON } });
    expect(world.wait(PERSON, { person: true })).toMatchObject({ status: "your_turn" });
  });

  it("says who paused it, since when and why, and a second pause changes nothing", () => {
    const world = new RoomWorld();
    const first = world.pause(PERSON, { person: true, reason: "the build is broken" });
    expect(first).toMatchObject({ status: "paused", already: false, by: PERSON, reason: "the build is broken" });
    world.advance(5000);
    expect(world.pause("human:bob")).toEqual({ ...first, already: true });
    expect(world.eventTypes()).toEqual(["paused"]);
    expect(world.room.state.paused).toMatchObject({ by: PERSON, since: world.events[0]?.createdAt });
  });

  it("an agent cannot pause or resume it, and nobody can while it is closed", () => {
    const world = new RoomWorld();
    expect(codeOf(world.pause("a", {}))).toBe("not_authorized");
    expect(codeOf(world.resume("a", {}))).toBe("not_authorized");
    world.close(PERSON);
    expect(codeOf(world.pause(PERSON))).toBe("room_closed");
    expect(codeOf(world.resume(PERSON))).toBe("room_closed");
  });

  it("gives an idle stick to no agent, and keeps the places of those that wait", () => {
    const world = new RoomWorld();
    world.pause(PERSON);
    expect(world.wait("a")).toMatchObject({ status: "not_yet", queuePosition: 1, paused: { by: PERSON } });
    expect(world.wait("b")).toMatchObject({ status: "not_yet", queuePosition: 2 });
    expect(world.resume(PERSON)).toMatchObject({ status: "resumed", reservedFor: "a" });
    expect(world.wait("c")).toMatchObject({ status: "not_yet", reservedFor: "a" });
    expect(world.wait("a")).toMatchObject({ status: "your_turn", turnId: 1 });
    expect(world.wait("b")).not.toHaveProperty("paused");
  });

  it("lets a person take an idle stick", () => {
    const world = new RoomWorld();
    world.pause(PERSON);
    expect(statusOf(world.wait(PERSON, { person: true }))).toBe("your_turn");
  });

  it("leaves the holder its turn: it renews and releases, and the next in the queue has to wait", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    world.pause(PERSON);
    expect(world.wait("a")).toMatchObject({ status: "your_turn", reason: "already_owner", paused: { by: PERSON } });
    expect(statusOf(world.heartbeat("a"))).toBe("ok");
    expect(world.release("a")).toMatchObject({ status: "released", reservedFor: "b" });
    expect(world.wait("b")).toMatchObject({ status: "not_yet", reservedFor: "b" });
  });

  it("lets no reservation expire, and gives its agent the whole time again when it goes on", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    world.pause(PERSON);
    world.release("a");
    const { releaseClaimTtlMs } = world.room.policy;
    world.advance(10 * releaseClaimTtlMs);
    expect(world.look("c")).toMatchObject({ status: "not_yet", reservedFor: "b" });
    world.resume(PERSON);
    world.advance(releaseClaimTtlMs - 1);
    expect(world.wait("b")).toMatchObject({ status: "your_turn", reason: "sequence" });
  });

  it("a reservation expires again after the pause", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    world.release("a");
    world.pause(PERSON);
    world.advance(10 * world.room.policy.releaseClaimTtlMs);
    world.resume(PERSON);
    world.advance(world.room.policy.releaseClaimTtlMs + 1);
    expect(world.look("c")).not.toMatchObject({ reservedFor: "b" });
  });

  it("keeps the place of a waiter whose call has ended, however long the pause is", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b", { forMs: 1000 });
    world.pause(PERSON);
    world.release("a");
    world.advance(100 * world.room.policy.waitGraceMs);
    expect(world.look("c")).toMatchObject({ status: "not_yet", reservedFor: "b" });
    expect(world.resume(PERSON)).toMatchObject({ reservedFor: "b" });
  });

  it("gives each waiter the whole grace again when it goes on, and no more", () => {
    const world = new RoomWorld();
    world.wait("a");
    for (const agent of ["b", "c"]) world.wait(agent, { forMs: 1000 });
    world.pause(PERSON);
    world.advance(100 * world.room.policy.waitGraceMs);
    world.heartbeat("a");
    world.resume(PERSON);
    world.advance(world.room.policy.waitGraceMs - 1);
    expect(world.look("d")).toMatchObject({ status: "not_yet", currentOwner: "a" });
    expect([...world.room.waits.keys()]).toEqual(["b", "c"]);
    world.advance(2);
    world.heartbeat("a");
    expect(world.room.waits.size).toBe(0);
  });

  it("does not keep the place of a waiter whose process is gone", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    world.pause(PERSON);
    world.kill("b").advance(world.room.policy.goneGraceMs + 1);
    expect(world.release("a")).toMatchObject({ reservedFor: null });
  });

  it("refuses an agent's takeover from a dead holder and does not offer it; a person may take", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.join("b");
    world.pause(PERSON);
    world.kill("a").advance(world.room.policy.goneGraceMs + 1);
    expect(statusOf(world.wait("b"))).toBe("not_yet");
    expect(codeOf(world.takeover("b"))).toBe("room_paused");
    expect(world.takeover(PERSON, { person: true })).toMatchObject({ status: "your_turn", revokedAgentId: "a" });
  });

  it("refuses to pass the stick, to a person too", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    world.pause(PERSON);
    expect(codeOf(world.pass("a", "b"))).toBe("room_paused");
    expect(world.room.state.owner).toBe("a");
  });

  it("is not paused any more after it was closed and reopened", () => {
    const world = new RoomWorld();
    world.pause(PERSON);
    world.close(PERSON);
    world.join("a");
    expect(world.room.state.paused).toBeNull();
  });

  it("resuming a room that is not paused changes nothing", () => {
    const world = new RoomWorld();
    expect(world.resume(PERSON)).toEqual({ status: "resumed", already: true, reservedFor: null });
    expect(world.events).toEqual([]);
  });
});

describe("giving the stick", () => {
  it("reserves an idle stick for the agent, which gets it as given", () => {
    const world = new RoomWorld();
    world.join("a");
    expect(world.give(PERSON, "a")).toMatchObject({ status: "given", reservedFor: "a", revokedAgentId: null });
    expect(world.wait("b")).toMatchObject({ status: "not_yet", reservedFor: "a" });
    expect(world.wait("a")).toMatchObject({ status: "your_turn", turnId: 1, reason: "given" });
  });

  it("ends the turn of an active holder only if the person says so, and its lease is worth nothing then", () => {
    const world = new RoomWorld();
    world.wait("a");
    const token = world.token();
    world.wait("b");
    world.wait("c");
    expect(codeOf(world.give(PERSON, "c"))).toBe("target_active");
    expect(world.room.state.owner).toBe("a");
    expect(world.give(PERSON, "c", { person: true, anyway: true })).toMatchObject({ revokedAgentId: "a" });
    expect(world.events.at(-1)).toMatchObject({ type: "given", fromAgentId: PERSON, toAgentId: "c", turnId: 1 });
    expect(codeOf(world.release("a", {}, token))).toBe("stale_lease");
    expect(world.wait("b")).toMatchObject({ status: "not_yet", queuePosition: 1 });
    expect(world.wait("c")).toMatchObject({ status: "your_turn", turnId: 2, reason: "given" });
  });

  it("a yes counts only for the turn that the person saw", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.join("c");
    world.release("a");
    world.wait("b");
    expect(codeOf(world.give(PERSON, "c", { person: true, anyway: true, turn: 1 }))).toBe("turn_mismatch");
    expect(world.room.state.owner).toBe("b");
  });

  it("a person who finds it reserved is told how to get it", () => {
    const world = new RoomWorld();
    world.join("a");
    world.join(PERSON, { person: true });
    world.give(PERSON, "a");
    const refused = world.takeover(PERSON, { person: true });
    expect(refused).toMatchObject({ error: "takeover_not_available" });
    expect(JSON.stringify(refused)).toContain("give_stick");
    expect(world.give(PERSON, PERSON)).toMatchObject({ status: "given", reservedFor: PERSON });
    expect(statusOf(world.wait(PERSON, { person: true }))).toBe("your_turn");
  });

  it("a person who never joined, or was silent for long, can follow that advice", () => {
    for (const joinsFirst of [false, true]) {
      const world = new RoomWorld();
      if (joinsFirst) world.join(PERSON, { person: true });
      world.advance(world.room.policy.presenceTtlMs + 1);
      world.join("a");
      world.give("human:bob", "a");
      expect(codeOf(world.takeover(PERSON, { person: true }))).toBe("takeover_not_available");
      expect(world.give(PERSON, PERSON)).toMatchObject({ status: "given", reservedFor: PERSON });
      expect(statusOf(world.wait(PERSON, { person: true }))).toBe("your_turn");
    }
  });

  it("a refused gift makes nobody a member", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.join("b");
    expect(codeOf(world.give(PERSON, "b"))).toBe("target_active");
    expect(codeOf(world.give("c", "b", {}))).toBe("not_authorized");
    expect([...world.room.state.members.keys()]).toEqual(["a", "b"]);
    world.close(PERSON, { person: true, operatorRequested: true });
    expect(codeOf(world.give("c", "b", {}))).toBe("not_authorized");
    expect(codeOf(world.give(PERSON, "b"))).toBe("room_closed");
  });

  it("to a member that has ended, advises the person to give, not to pass or release", () => {
    const world = new RoomWorld();
    world.join("a");
    world.join("b");
    world.kill("b").advance(world.room.policy.goneGraceMs + 1);
    const refused = world.give(PERSON, "b");
    expect(refused).toMatchObject({ error: "recipient_unreachable" });
    expect(JSON.stringify(refused)).not.toMatch(/pass|release/i);
  });

  it("takes it from a dead holder without a further word", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.join("b");
    world.kill("a").advance(world.room.policy.goneGraceMs + 1);
    world.see("b");
    expect(world.give(PERSON, "b")).toMatchObject({ status: "given", revokedAgentId: "a" });
  });

  it("keeps the last handoff attached", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.release("a");
    world.wait("b");
    world.join("c");
    world.give(PERSON, "c", { person: true, anyway: true });
    expect(world.wait("c")).toMatchObject({ status: "your_turn", fromAgentId: "a" });
  });

  it("is for a person alone, and to an active member that does not hold it", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.join("b");
    expect(codeOf(world.give("b", "b", {}))).toBe("not_authorized");
    expect(codeOf(world.give(PERSON, "a"))).toBe("takeover_ineligible");
    expect(codeOf(world.give(PERSON, "nobody"))).toBe("unknown_recipient");
    world.kill("b").advance(world.room.policy.goneGraceMs + 1);
    expect(codeOf(world.give(PERSON, "b", { person: true, anyway: true }))).toBe("recipient_unreachable");
  });

  it("in a paused room, the agent gets it when the room goes on", () => {
    const world = new RoomWorld();
    world.join("a");
    world.pause(PERSON);
    expect(world.give(PERSON, "a")).toMatchObject({ status: "given", paused: true });
    world.advance(10 * world.room.policy.claimTtlMs);
    expect(statusOf(world.wait("a"))).toBe("not_yet");
    world.resume(PERSON);
    expect(statusOf(world.wait("a"))).toBe("your_turn");
  });
});
