import { describe, expect, it } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { DEFAULT_POLICY } from "../../../src/core/policy.ts";
import { evolve } from "../../../src/room/rules/evolve.ts";
import { chooseHandle } from "../../../src/room/rules/membership.ts";
import { INITIAL_STATE } from "../../../src/room/rules/room.ts";
import { needsSettling } from "../../../src/room/rules/settle.ts";
import { detailOf, listMembers } from "../../../src/room/rules/view.ts";
import { codeOf, HANDOFF, RoomWorld, statusOf } from "../../support/room-world.ts";

function asleep(world: RoomWorld): void {
  world.advance(8 * 3_600_000);
  world.suspendedMs += 8 * 3_600_000;
}

describe("joining", () => {
  it("happens once: repeated joins emit nothing", () => {
    const world = new RoomWorld();
    world.join("a");
    world.join("a");
    expect(world.eventTypes()).toEqual(["member_joined"]);
  });

  it("after an absence longer than the presence time is a return", () => {
    const world = new RoomWorld();
    world.join("a", { withoutProcess: true });
    world.advance(14_400_001);
    world.join("a", { withoutProcess: true });
    expect(world.events.at(-1)).toMatchObject({ type: "member_joined", payload: { reason: "returned" } });
  });

  it("of one that has waited all the time is no return, and costs no place in the queue", () => {
    const world = new RoomWorld({ leaseTtlMs: 80_000_000 });
    world.wait("a");
    world.wait("b", { forMs: 80_000_000 });
    world.wait("c", { forMs: 80_000_000 });
    world.advance(14_400_001);
    expect(world.wait("b", { forMs: 1000 })).toMatchObject({ queuePosition: 1 });
    expect(world.events.filter((event) => event.type === "member_joined")).toHaveLength(3);
  });

  it("reopens a closed room", () => {
    const world = new RoomWorld();
    world.close("human:x");
    world.join("a");
    expect(world.eventTypes()).toEqual(["close", "reopen", "member_joined"]);
    expect(world.state()).toBe("idle");
  });

  it("gives the second of a harness a numbered handle, and a free one again to the next", () => {
    const taken = [
      { agentId: asAgentId("claude:1"), handle: "claude" as never, live: true },
      { agentId: asAgentId("claude:2"), handle: "claude-2" as never, live: false },
    ];
    expect(chooseHandle(asAgentId("claude:3"), "claude", taken)).toBe("claude-2");
    expect(chooseHandle(asAgentId("claude:1"), "claude", taken)).toBe("claude");
    expect(chooseHandle(asAgentId("x"), "Gemini CLI", [])).toBe("gemini-cli");
  });

  it("gives nobody a handle that stands for others", () => {
    for (const harness of ["room", "Self", "any", "human"]) {
      expect(chooseHandle(asAgentId("x:1"), harness, [])).toBe("agent");
    }
    expect(chooseHandle(asAgentId("human:ada"), "human", [])).toBe("human");
  });
});

describe("choosing a handle", () => {
  it.each(["room", "self", "any", "human", "human-2"])("%s is refused to an agent", (handle) => {
    const world = new RoomWorld();
    expect(world.name("claude:1", handle)).toMatchObject({ error: "invalid_input", facts: { field: "handle" } });
  });

  it("human is a person's, and what only begins like these words is anybody's", () => {
    const world = new RoomWorld();
    expect(statusOf(world.name("human:ada", "human"))).toBe("named");
    for (const handle of ["roomy", "any-1", "self-made", "humane"]) {
      expect(statusOf(world.name("claude:1", handle))).toBe("named");
    }
    expect(codeOf(world.name("human:ada", "room"))).toBe("invalid_input");
  });
});

describe("leaving", () => {
  it("while holding frees the stick for the next one and keeps the handoff", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.release("a");
    world.wait("a");
    world.wait("b");
    expect(world.leave("a")).toMatchObject({ status: "left", remainingMembers: 1, canonicalPath: "/projects/tree" });
    expect(world.wait("b")).toMatchObject({ status: "your_turn", reason: "sequence", handoff: HANDOFF });
  });

  it("with a reservation hands it on", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    world.wait("c");
    world.release("a");
    world.leave("b", "session_ended");
    expect(world.room.state.reservation).toEqual({ agentId: "c", via: "sequence", givenBy: null });
    expect(world.events.at(-1)).toMatchObject({ payload: { reason: "session_ended", wasReservedFor: true } });
  });

  it("is refused to a stranger", () => {
    expect(codeOf(new RoomWorld().leave("a"))).toBe("unknown_member");
  });
});

describe("kicking", () => {
  it("needs a member, another member, and proof that it is gone", () => {
    const world = new RoomWorld();
    world.join("a");
    world.join("b");
    expect(codeOf(world.kick("stranger", "b"))).toBe("unknown_member");
    expect(codeOf(world.kick("a", "a"))).toBe("cannot_kick_self");
    expect(codeOf(world.kick("a", "nobody"))).toBe("unknown_target");
    expect(codeOf(world.kick("a", "b"))).toBe("target_active");
    expect(codeOf(world.kick("a", "b", { force: true }))).toBe("not_authorized");
    world.loseSightOf("b").advance(1_000_000);
    expect(codeOf(world.kick("a", "b"))).toBe("target_active");
    world.kill("b");
    expect(statusOf(world.kick("a", "b"))).toBe("kicked");
  });

  it("of the holder frees the stick and says what it held", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b", { forMs: 600_000 });
    world.kill("a").advance(15_000);
    expect(world.kick("b", "a")).toMatchObject({
      targetWasOwner: true,
      targetWasReservedFor: false,
      remainingMembers: 1,
    });
    expect(statusOf(world.wait("b"))).toBe("your_turn");
  });

  it("by a person's force removes a live member", () => {
    const world = new RoomWorld();
    world.join("a");
    world.join("human:x", { person: true });
    expect(statusOf(world.kick("human:x", "a", { person: true, force: true }))).toBe("kicked");
  });

  it("of a member that settling would remove is a kick, not a departure", () => {
    const world = new RoomWorld();
    world.join("b");
    world.kill("b").advance(14_400_000);
    world.join("a");
    world.join("b");
    world.advance(14_400_000);
    expect(statusOf(world.kick("a", "b"))).toBe("kicked");
    expect(world.events.at(-1)?.type).toBe("kick");
  });
});

describe("closing", () => {
  it("is for people, and for a held room only at their express request", () => {
    const world = new RoomWorld();
    world.wait("a");
    expect(codeOf(world.close("a", {}))).toBe("not_authorized");
    expect(codeOf(world.close("human:x", { person: true }))).toBe("not_authorized");
    expect(statusOf(world.close("human:x", { person: true, operatorRequested: true }))).toBe("closed");
    expect(codeOf(world.release("a"))).toBe("room_closed");
    expect(world.room.waits.size).toBe(0);
  });

  it("keeps the turn counter, so that no old token fits a later turn", () => {
    const world = new RoomWorld();
    world.wait("a");
    const old = world.token();
    world.close("human:x", { person: true, operatorRequested: true });
    world.join("a");
    expect(world.wait("a")).toMatchObject({ turnId: 2 });
    expect(codeOf(world.heartbeat("a", old))).toBe("turn_mismatch");
  });
});

describe("time", () => {
  it("a reboot voids the lease at once", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.epoch = "boot-2";
    world.nowMs = 5000;
    world.loseSightOf("a");
    expect(world.state()).toBe("stale_owner");
  });

  it("a wall-clock jump moves no deadline", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wallMs += 365 * 86_400_000;
    expect(world.state()).toBe("owned");
    world.wallMs = 0;
    expect(world.state()).toBe("owned");
  });

  it("waking from suspend gives the lease, the reservation and the waits 60 s", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    world.advance(8 * 3_600_000);
    world.suspendedMs += 8 * 3_600_000;
    expect(codeOf(world.takeover("b"))).toBe("takeover_not_available");
    world.advance(59_999);
    expect(codeOf(world.takeover("b"))).toBe("takeover_not_available");
    world.advance(1);
    expect(statusOf(world.takeover("b"))).toBe("your_turn");
  });

  it("waking from suspend does not revive a lease that had expired before", () => {
    const long = new RoomWorld();
    long.wait("a");
    long.join("b");
    long.advance(DEFAULT_POLICY.leaseTtlMs + 60_000);
    asleep(long);
    expect(statusOf(long.takeover("b"))).toBe("your_turn");
    const seen = new RoomWorld();
    seen.wait("a");
    seen.advance(DEFAULT_POLICY.leaseTtlMs);
    seen.join("b");
    asleep(seen);
    expect(statusOf(seen.takeover("b"))).toBe("your_turn");
    const inTime = new RoomWorld();
    inTime.wait("a");
    inTime.join("b");
    inTime.advance(DEFAULT_POLICY.leaseTtlMs - 1);
    asleep(inTime);
    inTime.advance(30_000);
    expect(codeOf(inTime.takeover("b"))).toBe("takeover_not_available");
  });

  it("a member long gone leaves by itself, one of unknown fate stays", () => {
    const world = new RoomWorld();
    for (const agent of ["a", "b", "c"]) world.join(agent);
    world.kill("a").loseSightOf("b").advance(14_400_000);
    world.join("c");
    expect([...world.room.state.members.keys()]).toEqual(["b", "c"]);
    expect(world.events.at(-1)).toMatchObject({ type: "member_left", payload: { reason: "process_gone" } });
  });

  it("the owner is never removed, however long it is gone", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.join("b");
    world.kill("a").advance(100 * 86_400_000);
    world.join("b");
    expect(world.room.state.owner).toBe("a");
    expect(world.state()).toBe("owner_gone");
  });
});

describe("waits", () => {
  it("keep their place for the grace after the call's time is over, and no longer", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b", { forMs: 1000 });
    world.advance(60_999);
    expect(world.release("a")).toMatchObject({ reservedFor: "b" });
    world.wait("b");
    world.wait("a", { forMs: 1000 });
    world.advance(61_000);
    expect(world.release("b")).toMatchObject({ reservedFor: null });
  });

  it("end at once with the harness, and after the grace with a dead call", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b", { forMs: 600_000 });
    world.wait("c", { forMs: 600_000 });
    world.kill("b").kill("c-call");
    world.heartbeat("a");
    expect([...world.room.waits.keys()]).toEqual(["c"]);
    world.advance(60_000);
    expect(world.release("a")).toMatchObject({ reservedFor: null });
  });

  it("a settled room needs no settling", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b", { forMs: 600_000 });
    world.advance(10_000);
    expect(needsSettling(world.room, world.given("b"))).toBe(false);
  });

  it("a cancelled wait gives up its place", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    world.cancelWait("b");
    expect(world.release("a")).toMatchObject({ reservedFor: null });
  });
});

describe("policy", () => {
  it("changes are recorded once and only when real", () => {
    const world = new RoomWorld();
    world.policy("a", { leaseTtlMs: 5000 });
    world.policy("a", { leaseTtlMs: 5000 });
    expect(world.eventTypes()).toEqual(["member_joined", "policy_changed"]);
    expect(world.room.policy.leaseTtlMs).toBe(5000);
  });

  it("is for a person: an agent, holder or not, is refused, changes nothing and becomes no member", () => {
    const world = new RoomWorld();
    world.wait("a");
    const count = world.events.length;
    for (const agent of ["a", "b"]) {
      const refused = world.policy(agent, { leaseTtlMs: 1000 }, { person: false });
      expect(refused).toMatchObject({ error: "not_authorized", next: expect.stringContaining("Ask the person") });
    }
    expect(world.events).toHaveLength(count);
    expect(world.room.policy).toEqual(DEFAULT_POLICY);
  });

  it.each([0, -1, 1.5, Number.NaN, 1e18])("refuses %s as a lease time", (leaseTtlMs) => {
    expect(codeOf(new RoomWorld().policy("a", { leaseTtlMs }))).toBe("invalid_input");
  });
});

describe("notes", () => {
  it("are numbered with their turn, previewed in the log, and resolved once", () => {
    const world = new RoomWorld();
    world.wait("a");
    const body = `remember ${"🪵".repeat(200)}`;
    expect(world.addNote("b", body, 1)).toMatchObject({ body, turnId: 1, authorAgentId: "b", resolvedAt: null });
    const payload = world.events.at(-1)?.payload as { preview: string } | undefined;
    expect(Array.from(payload?.preview ?? "")).toHaveLength(80);
    expect(world.resolveNote("a", "note1")).toMatchObject({ resolvedByAgentId: "a" });
    const count = world.events.length;
    expect(world.resolveNote("b", "note1")).toMatchObject({ resolvedByAgentId: "a" });
    expect(world.events.filter((event) => event.type === "note_resolved")).toHaveLength(1);
    expect(world.events.length).toBe(count);
  });

  it("refuse blank and oversized bodies, turns that never were, and unknown ids", () => {
    const world = new RoomWorld({ noteMaxBytes: 256 });
    expect(codeOf(world.addNote("a", " \n"))).toBe("invalid_body");
    expect(world.addNote("a", "é".repeat(129))).toMatchObject({
      error: "body_too_large",
      facts: { supplied: 258, limit: 256 },
    });
    for (const turn of [-1, 1, 1.5]) expect(codeOf(world.addNote("a", "x", turn))).toBe("invalid_turn_id");
    expect(world.resolveNote("a", "nothing")).toMatchObject({ error: "invalid_input", facts: { field: "note_id" } });
    expect(world.events).toHaveLength(0);
  });
});

describe("what others see", () => {
  it("never holds the lease", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    const shown = JSON.stringify([
      detailOf(world.room, world.given("b")),
      listMembers(world.room, world.given("b")).members,
      world.events,
    ]);
    expect(shown).not.toContain(world.token().leaseId);
  });

  it("shows who waits, in which place, and who can be reached", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.join("b");
    world.wait("c");
    expect(listMembers(world.room, world.given("a")).members).toMatchObject([
      { agentId: "a", waiting: false, reachable: false, status: "active", queuePosition: null },
      { agentId: "b", waiting: false, reachable: false },
      { agentId: "c", waiting: true, reachable: true, queuePosition: 1 },
    ]);
  });

  it("calls a room without active members dormant", () => {
    const world = new RoomWorld();
    expect(world.state()).toBe("dormant");
    world.join("a");
    expect(world.state()).toBe("idle");
    world.kill("a").advance(15_000);
    expect(world.state()).toBe("dormant");
  });
});

describe("the log", () => {
  it("rebuilds the state", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    world.release("a");
    world.wait("b");
    world.addNote("c", "x");
    world.kill("b").advance(15_000);
    world.takeover("c");
    world.leave("a");
    expect(world.events.reduce(evolve, INITIAL_STATE)).toEqual(world.room.state);
  });
});
