import { describe, expect, it } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { holderToAsk } from "../../../src/stick/rules/request.ts";
import { HANDOFF, RoomWorld } from "../../support/room-world.ts";

function asked(world: RoomWorld, agent: string) {
  return holderToAsk(world.room, world.given(agent), [asAgentId(agent)]);
}

describe("a request for the stick", () => {
  it("goes to its holder", () => {
    const world = new RoomWorld();
    world.wait("a");
    expect(asked(world, "b")).toBe("a");
  });

  it("of the holder itself says that it holds it", () => {
    const world = new RoomWorld();
    world.wait("a");
    expect(asked(world, "a")).toMatchObject({ error: "self_send", message: "You hold the stick already." });
  });

  it("of a free stick says that it is free, and how to take it", () => {
    const world = new RoomWorld();
    world.join("a");
    expect(asked(world, "a")).toMatchObject({
      error: "unknown_recipient",
      message: "Nobody holds the stick: it is free.",
      next: ["Take it: ", { do: "wait_for_turn", with: { max_wait_ms: 0 } }],
    });
  });

  it("of a stick that is reserved names the agent, and promises it at once to that agent alone", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.wait("b");
    world.release("a");
    const take = ["Take it: ", { do: "wait_for_turn" }];
    expect(asked(world, "b")).toMatchObject({ error: "unknown_recipient", next: take });
    const other = asked(world, "c");
    expect(other).toMatchObject({ error: "unknown_recipient", facts: { reserved_for: "b" } });
    expect(other).not.toMatchObject({ next: take });
  });

  it("in a paused room does not advise an agent to take over from a dead holder; it advises a person to", () => {
    const world = new RoomWorld();
    world.wait("a");
    world.join("b");
    world.pause("human:x");
    expect(asked(world, "b")).toBe("a");
    world.kill("a").advance(world.room.policy.goneGraceMs + 1);
    expect(asked(world, "b")).toMatchObject({
      error: "recipient_unreachable",
      next: [expect.any(String), { do: "wait_for_turn" }],
      facts: { current_owner: "a" },
    });
    const byPerson = holderToAsk(world.room, world.given("human:x", { person: true }), [asAgentId("human:x")]);
    expect(byPerson).toMatchObject({ next: [expect.any(String), { do: "takeover_stick" }] });
  });

  it("in a closed room is told that it is closed", () => {
    const world = new RoomWorld();
    world.join("a");
    world.close("human:x");
    expect(asked(world, "a")).toMatchObject({ error: "room_closed" });
  });
});

it("an owner that gives a wrong turn is not told that its turn is over", () => {
  const world = new RoomWorld();
  world.wait("a");
  const token = { ...world.token(), expectedTurnId: 9 };
  expect(world.release("a", HANDOFF, token)).toMatchObject({
    error: "turn_mismatch",
    next: ["You hold turn 1. Get its lease: ", { do: "wait_for_turn", with: { max_wait_ms: 0 } }],
  });
  expect(world.release("b", HANDOFF, token)).toMatchObject({
    next: [expect.stringContaining("Your turn is over"), { do: "wait_for_turn" }],
  });
});
