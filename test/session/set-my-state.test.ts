import { describe, expect, it } from "vitest";
import { codeOf } from "../support/room-world.ts";
import { accepted } from "../support/service-world.ts";
import { SessionWorld } from "./session-world.ts";

async function cardsIn(world: SessionWorld, roomId: string) {
  const { events } = accepted(await world.as("reader:1").getRoomEvents({ roomId }));
  return events.filter(({ eventType }) => eventType === "state_changed");
}

describe("a state card", () => {
  it("is an event when it says something new, and none when it does not", async () => {
    const world = new SessionWorld();
    const { stick, roomId } = await world.joined("claude:1");
    const card = { roomId, purpose: "dates", files: ["a.ts"] };
    expect(await stick.setMyState(card)).toEqual({
      agentId: "claude:1",
      stateCard: { purpose: "dates", files: ["a.ts"] },
      changed: true,
    });
    expect(await stick.setMyState(card)).toMatchObject({ changed: false });
    expect(await cardsIn(world, roomId)).toHaveLength(1);
    expect(await stick.setMyState({ ...card, blockedOn: "review" })).toMatchObject({ changed: true });
    expect(await stick.setMyState({ roomId, purpose: "dates" })).toMatchObject({ changed: true });
    expect(await cardsIn(world, roomId)).toHaveLength(3);
  });

  it("has a purpose of at most 200 characters, as people count them", async () => {
    const world = new SessionWorld();
    const { stick, roomId } = await world.joined("claude:1");
    const set = async (purpose: unknown) => codeOf(await stick.setMyState({ roomId, purpose: purpose as string }));
    expect(await set("🪄".repeat(200))).toBe("accepted");
    expect(await set("🪄".repeat(201))).toBe("invalid_input");
    expect(await set(" ")).toBe("invalid_input");
    expect(await set(7)).toBe("invalid_input");
  });

  it("is refused with too many files, or with something else than paths, and leaves no trace then", async () => {
    const world = new SessionWorld();
    const { stick, roomId } = await world.joined("claude:1");
    for (const files of [Array.from({ length: 21 }, () => "a"), [7], "a.ts"]) {
      const card = { roomId, purpose: "x", files: files as string[] };
      expect(
        await world.writesNothing(async () => expect(codeOf(await stick.setMyState(card))).toBe("invalid_input")),
      ).toBe(true);
    }
  });
});
