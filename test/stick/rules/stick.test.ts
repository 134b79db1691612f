import { describe, expect, it } from "vitest";
import { codeOf, HANDOFF, RoomWorld, statusOf } from "../../support/room-world.ts";

describe("claiming", () => {
  it("the first to wait gets an idle stick by open claim, as turn 1", () => {
    const world = new RoomWorld();
    expect(world.wait("a")).toMatchObject({ status: "your_turn", turnId: 1, reason: "open_claim", handoff: null });
    expect(world.eventTypes()).toEqual(["member_joined", "claim"]);
  });

  it("the owner that asks again gets the same turn and lease back", () => {
    const world = new RoomWorld();
    const first = world.wait("a");
    expect(world.wait("a")).toMatchObject({ ...first, reason: "already_owner" });
    expect(world.events).toHaveLength(2);
  });

  it("a second agent is told who holds and where it stands in the queue", () => {
    const world = new RoomWorld();
    world.wait("a");
    expect(world.wait("b")).toMatchObject({
      status: "not_yet",
      roomState: "owned",
      currentOwner: "a",
      queuePosition: 1,
    });
    expect(world.wait("c")).toMatchObject({ queuePosition: 2 });
  });

  it("a single look takes no place in the queue", () => {
    const world = new RoomWorld();
    world.wait("a");
    expect(world.look("b")).toMatchObject({ status: "not_yet", queuePosition: null });
    expect(world.release("a")).toMatchObject({ reservedFor: null, waitingCount: 0 });
  });

  it("a receiver never claims an idle stick", () => {
    const world = new RoomWorld();
    expect(world.wait("a", { claims: false })).toMatchObject({ status: "not_yet", roomState: "idle" });
    expect(world.room.state.owner).toBeNull();
  });

  it("a wait in a closed room answers closed to a member and refuses a stranger", () => {
    const world = new RoomWorld();
    world.join("a");
    world.close("human:x");
    expect(statusOf(world.wait("a"))).toBe("closed");
    expect(codeOf(world.wait("b"))).toBe("room_closed");
    expect(world.room.state.members.has("b" as never)).toBe(false);
  });
});

describe("releasing", () => {
  it("reserves the stick for the one that waited and attaches the handoff to its turn", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    expect(world.release("a")).toMatchObject({ status: "released", reservedFor: "b", waitingCount: 1 });
    expect(world.wait("b")).toMatchObject({ turnId: 2, reason: "sequence", handoff: HANDOFF, fromAgentId: "a" });
  });

  it("leaves the stick idle when nobody waits, and the handoff still reaches the next claim", () => {
    const world = new RoomWorld();
    world.wait("a");
    expect(world.release("a")).toMatchObject({ reservedFor: null });
    expect(world.state()).toBe("idle");
    expect(world.wait("b")).toMatchObject({ reason: "open_claim", handoff: HANDOFF, fromAgentId: "a" });
  });

  it("a turn that is given up goes to the next with the handoff from before, and its holder stays a member", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.release("a");
    world.wait("b");
    world.wait("c");
    expect(world.giveUp("b")).toEqual({ status: "given_up", reservedFor: "c" });
    expect(world.events.at(-1)).toMatchObject({ type: "release", handoff: null, payload: { givenUp: true } });
    expect(world.room.state.members.has("b" as never)).toBe(true);
    expect(world.wait("c")).toMatchObject({ status: "your_turn", handoff: HANDOFF, fromAgentId: "a" });
  });

  it("a turn that was lost cannot be given up", () => {
    const world = new RoomWorld();
    world.wait("a");
    const lost = world.token();
    world.release("a");
    world.wait("a");
    expect(codeOf(world.giveUp("a", lost))).toBe("turn_mismatch");
    expect(world.room.state.owner).toBe("a");
  });

  it("names the wrong turn before the wrong lease", () => {
    const world = new RoomWorld();
    world.wait("a");
    const { leaseId } = world.token();
    expect(world.release("a", HANDOFF, { leaseId, expectedTurnId: 9 })).toMatchObject({
      error: "turn_mismatch",
      facts: { current_owner: "a", current_turn_id: 1, room_state: "owned" },
    });
    expect(codeOf(world.release("a", HANDOFF, { leaseId: "wrong" as never, expectedTurnId: 1 }))).toBe("stale_lease");
    expect(codeOf(world.release("b"))).toBe("stale_lease");
    expect(world.room.state.owner).toBe("a");
  });

  it("the releaser steps back while another waits, but not when it is alone", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    world.release("a");
    expect(world.wait("a")).toMatchObject({ status: "not_yet", reservedFor: "b" });
    world.cancelWait("b");
    world.leave("b");
    expect(statusOf(world.wait("a"))).toBe("your_turn");
  });

  it("the releaser may claim at once when it is alone", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.release("a");
    expect(world.wait("a")).toMatchObject({ status: "your_turn", turnId: 2, reason: "open_claim" });
  });

  it("skips a waiter whose process is gone", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    world.wait("c");
    world.kill("b");
    expect(world.release("a")).toMatchObject({ reservedFor: "c", waitingCount: 1 });
  });

  it.each([
    [{ status: " ", nextAction: "x" }, "status"],
    [{ status: "x", nextAction: "" }, "next_action"],
    [{ nextAction: "x" }, "status"],
    [null, "handoff"],
    ["text", "handoff"],
    [{ ...HANDOFF, extra: 1 }, "extra"],
    [{ ...HANDOFF, artifacts: [{ path: "" }] }, "artifacts[0].path"],
    [{ ...HANDOFF, artifacts: [{ path: "a", lines: [5, 2] }] }, "artifacts[0].lines"],
    [{ ...HANDOFF, artifacts: [{ path: "a", role: "owner" }] }, "artifacts[0].role"],
    [{ ...HANDOFF, openQuestions: [" "] }, "open_questions[0]"],
    [{ ...HANDOFF, doNot: "x" }, "do_not"],
  ])("refuses the handoff %j by the name of its field", (handoff, field) => {
    const world = new RoomWorld();
    world.wait("a");
    expect(world.release("a", handoff)).toMatchObject({ error: "invalid_handoff", facts: { field } });
    expect(world.room.state.owner).toBe("a");
  });

  it("accepts a plain path as an artifact", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.release("a", {
      ...HANDOFF,
      artifacts: ["src/a.ts", { path: "b", lines: [1, 2], role: "review", note: "n" }],
    });
    expect(world.room.state.handoff?.handoff.artifacts).toEqual([
      { path: "src/a.ts" },
      { path: "b", lines: [1, 2], role: "review", note: "n" },
    ]);
  });

  it("refuses a handoff over the room's limit with both sizes", () => {
    const world = new RoomWorld({ handoffMaxBytes: 256 });
    world.wait("a");
    expect(world.release("a", { status: "é".repeat(200), nextAction: "x" })).toMatchObject({
      error: "handoff_too_large",
      facts: { limit: 256 },
    });
  });
});

describe("passing", () => {
  it("goes to a reachable member, who receives it as a direct pass", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    world.wait("c");
    expect(world.pass("a", "c")).toMatchObject({ status: "passed", reservedFor: "c" });
    expect(world.wait("b")).toMatchObject({ status: "not_yet", reservedFor: "c" });
    expect(world.wait("c")).toMatchObject({ status: "your_turn", reason: "direct_pass", fromAgentId: "a" });
  });

  it("a receiver takes a turn that was passed to it", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b", { claims: false });
    world.pass("a", "b");
    expect(world.wait("b", { claims: false })).toMatchObject({ status: "your_turn", reason: "direct_pass" });
  });

  it("refuses a member that is not there to notice, unless a person insists", () => {
    const world = new RoomWorld();
    world.join("b");
    world.wait("human:x", { person: true });
    expect(codeOf(world.pass("human:x", "b", { person: true }))).toBe("recipient_unreachable");
    expect(codeOf(world.pass("human:x", "b", { operatorRequested: true }))).toBe("not_authorized");
    expect(statusOf(world.pass("human:x", "b", { person: true, operatorRequested: true }))).toBe("passed");
  });

  it("refuses a member that is gone or long silent, though a person insists", () => {
    for (const isGone of [true, false]) {
      const world = new RoomWorld({ leaseTtlMs: 86_400_000 });
      world.join("b");
      world.wait("human:x", { person: true });
      if (isGone) world.kill("b");
      world.advance(isGone ? world.room.policy.goneGraceMs : world.room.policy.presenceTtlMs);
      for (const operatorRequested of [true, false]) {
        const passed = world.pass("human:x", "b", { person: true, operatorRequested });
        expect(passed).toMatchObject({ error: "recipient_unreachable", facts: { to_agent_id: "b", active: false } });
      }
      expect(world.state()).toBe("owned");
    }
  });

  it("names by id, by handle, and by a harness with one active member", () => {
    for (const name of ["codex:1", "codex"]) {
      const world = new RoomWorld();
      world.wait("claude:1");
      world.wait("codex:1");
      expect(world.pass("claude:1", name)).toMatchObject({ reservedFor: "codex:1" });
    }
  });

  it("lists candidates for an unknown and for an ambiguous name", () => {
    const world = new RoomWorld();
    world.wait("claude:1");
    world.wait("codex:1");
    world.wait("codex:2");
    world.room = {
      ...world.room,
      presence: new Map([...world.room.presence].map(([id, p]) => [id, { ...p, handle: `h-${id}` as never }])),
    };
    expect(world.pass("claude:1", "nobody")).toMatchObject({
      error: "unknown_recipient",
      facts: { candidates: expect.arrayContaining(["h-codex:1 (codex:1)"]) },
    });
    expect(world.pass("claude:1", "codex")).toMatchObject({
      error: "ambiguous_recipient",
      facts: { candidates: ["h-codex:1 (codex:1)", "h-codex:2 (codex:2)"] },
    });
    expect(codeOf(world.pass("claude:1", "claude:1"))).toBe("self_send");
  });
});

describe("reservations", () => {
  it("one that expires goes to the next in the queue by itself, and the handoff stays", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b", { forMs: 600_000 });
    world.wait("c", { forMs: 600_000 });
    world.release("a");
    world.advance(60_000);
    expect(world.wait("c")).toMatchObject({ status: "your_turn", reason: "sequence", handoff: HANDOFF });
    expect(world.eventTypes()).toContain("reservation_expired");
  });

  it("one that expires with nobody waiting leaves the stick free", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    world.release("a");
    world.advance(60_000);
    world.join("d");
    expect(world.state()).toBe("idle");
    expect(world.wait("d")).toMatchObject({ status: "your_turn", reason: "open_claim", handoff: HANDOFF });
  });

  it("one whose recipient is gone does not wait for its deadline", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b", { forMs: 600_000 });
    world.wait("c", { forMs: 600_000 });
    world.pass("a", "b");
    world.kill("b").advance(15_000);
    expect(world.wait("c")).toMatchObject({ status: "your_turn", reason: "sequence" });
  });

  it("a recipient of unknown liveness keeps its reservation until the deadline", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b", { forMs: 600_000 });
    world.wait("c", { forMs: 600_000 });
    world.pass("a", "b");
    world.loseSightOf("b").advance(200_000);
    expect(world.wait("c")).toMatchObject({ status: "not_yet", reservedFor: "b" });
  });
});

describe("takeover", () => {
  it("is refused while the owner lives and its lease runs", () => {
    const world = new RoomWorld();
    world.wait("a");
    expect(world.takeover("b")).toMatchObject({ error: "takeover_not_available", facts: { current_owner: "a" } });
    expect(world.room.state.members.has("b" as never)).toBe(false);
  });

  it("is offered and granted when the owner is gone past the grace, with the handoff of its turn", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    world.release("a");
    world.wait("b");
    world.kill("b").advance(14_999);
    expect(statusOf(world.wait("a"))).toBe("not_yet");
    world.advance(1);
    expect(world.state()).toBe("owner_gone");
    expect(world.wait("a")).toMatchObject({ status: "takeover_available", reason: "owner_gone", currentOwner: "b" });
    expect(world.takeover("a")).toMatchObject({
      status: "your_turn",
      turnId: 3,
      revokedAgentId: "b",
      ground: "owner_gone",
      handoff: HANDOFF,
    });
  });

  it("is offered when the lease has expired, and the late owner is refused afterwards", () => {
    const world = new RoomWorld();
    world.wait("a");
    const old = world.token();
    world.advance(2_700_000);
    expect(world.state()).toBe("stale_owner");
    expect(world.wait("b")).toMatchObject({ status: "takeover_available", reason: "owner_timeout" });
    world.takeover("b");
    expect(codeOf(world.release("a", HANDOFF, old))).toBe("turn_mismatch");
  });

  it.each([
    ["release", (world: RoomWorld) => world.release("a", { status: "" }), "invalid_handoff"],
    ["pass", (world: RoomWorld) => world.pass("a", "nobody"), "unknown_recipient"],
    ["takeover", (world: RoomWorld) => world.takeover("a"), "takeover_ineligible"],
  ])("a %s of the holder's that is refused renews its lease anyway", (_, call, error) => {
    const world = new RoomWorld();
    world.wait("a");
    world.advance(2_600_000);
    expect(codeOf(call(world))).toBe(error);
    world.advance(2_600_000);
    expect(world.state()).toBe("owned");
  });

  it("a call with an old token renews nothing", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.advance(2_600_000);
    expect(codeOf(world.release("a", HANDOFF, { ...world.token(), expectedTurnId: 0 }))).toBe("turn_mismatch");
    world.advance(100_000);
    expect(world.state()).toBe("stale_owner");
  });

  it("a lease that has expired and that nobody took is renewed by the holder's next call", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.advance(2_700_000);
    expect(statusOf(world.heartbeat("a"))).toBe("ok");
    expect(codeOf(world.takeover("b"))).toBe("takeover_not_available");
  });

  it("signs of life that hooks left count when the lease is judged", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.advance(2_700_000);
    world.activity.set("a" as never, { epoch: "boot-1", ms: world.nowMs - 1000 });
    expect(world.state()).toBe("owned");
    expect(codeOf(world.takeover("b"))).toBe("takeover_not_available");
  });

  it("needs a reason, the current turn, and another agent", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.advance(2_700_000);
    expect(codeOf(world.takeover("b", { reason: "  " }))).toBe("invalid_input");
    expect(codeOf(world.takeover("b", { turn: 0 }))).toBe("turn_mismatch");
    expect(codeOf(world.takeover("a"))).toBe("takeover_ineligible");
  });

  it("from a live owner is for a person who insists", () => {
    const world = new RoomWorld();
    world.wait("a");
    expect(codeOf(world.takeover("b", { operatorRequested: true }))).toBe("not_authorized");
    expect(world.takeover("human:x", { person: true, operatorRequested: true })).toMatchObject({
      status: "your_turn",
      ground: "operator_requested",
      revokedAgentId: "a",
    });
  });

  it("of a free stick is refused with the advice to wait", () => {
    const world = new RoomWorld();
    world.join("a");
    expect(codeOf(world.takeover("a"))).toBe("takeover_not_available");
  });
});
