import { describe, expect, it } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { findRecipient } from "../../../src/room/rules/recipient.ts";
import { RoomWorld } from "../../support/room-world.ts";

/** The first `claude` is gone and still a member; the second one lives. */
function oneGone(): RoomWorld {
  const world = new RoomWorld();
  for (const agent of ["claude:old", "claude:new", "me"]) world.join(agent);
  return world.kill("claude:old").advance(20_000);
}

function meant(world: RoomWorld, name: string, caller = "me") {
  return findRecipient([world.room], world.given(caller), name);
}

describe("a name means", () => {
  it("the one who is there, not the one whose handle it was and who is gone", () => {
    const world = oneGone();
    expect(world.room.presence.get("claude:old" as never)?.handle).toBe("claude");
    expect(meant(world, "claude")).toBe("claude:new");
    expect(meant(world, "claude-2")).toBe("claude:new");
  });

  it("one who is gone by its id, and by its handle while nobody who is there can be meant", () => {
    const world = oneGone();
    expect(meant(world, "claude:old")).toBe("claude:old");
    world.kill("claude:new");
    expect(meant(world, "claude")).toBe("claude:old");
  });

  it("nobody by itself where two who are there can be meant", () => {
    const world = oneGone();
    world.join("claude:third");
    expect(meant(world, "claude")).toMatchObject({
      error: "ambiguous_recipient",
      facts: { candidates: ["claude-2 (claude:new)", "claude-3 (claude:third)"] },
    });
  });
});

describe("the beginning of a session's id", () => {
  const outside = ["898509a1-77", "898509a1-13", "ses_5f2c81d0e9"].map((sessionId, index) => ({
    agentId: asAgentId(`codex:${index}`),
    harness: "codex",
    sessionId,
  }));
  const meantOutside = (name: string) => {
    const world = oneGone();
    return findRecipient([world.room], world.given("me"), name, new Map(), outside);
  };

  it("means the only session whose id begins so", () => {
    expect(meantOutside("898509a1-7")).toBe("codex:0");
    expect(meantOutside("ses_5f2c81d0")).toBe("codex:2");
  });

  it("means nobody if two begin so, or if it has fewer than eight characters", () => {
    expect(meantOutside("898509a1")).toMatchObject({ error: "ambiguous_recipient" });
    expect(meantOutside("898509a")).toMatchObject({ error: "unknown_recipient" });
    expect(meantOutside("ses_5f2c")).toMatchObject({ error: "unknown_recipient" });
  });
});

describe("a name that means nobody", () => {
  it("is answered with the others, and not with the caller itself", () => {
    expect(meant(oneGone(), "nobody")).toMatchObject({
      error: "unknown_recipient",
      facts: { candidates: ["claude-2 (claude:new)"] },
      next: "Name one of the candidates by its id or handle.",
    });
  });

  it("names no candidates to one who is alone", () => {
    const world = new RoomWorld();
    world.join("me");
    expect(meant(world, "nobody")).toMatchObject({
      facts: { candidates: [] },
      next: expect.stringContaining("has to join first"),
    });
    expect(world.kick("me", "nobody")).toMatchObject({ error: "unknown_target", facts: { candidates: [] } });
  });
});

it("a pass by handle tells the truth about one who is gone", () => {
  const world = new RoomWorld();
  world.wait("a");
  world.wait("claude:old");
  world.kill("claude:old").advance(20_000);
  expect(world.pass("a", "claude")).toMatchObject({
    error: "recipient_unreachable",
    facts: { to_agent_id: "claude:old", active: false },
  });
});
