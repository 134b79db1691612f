import { expect, it } from "vitest";
import { accepted, ServiceWorld } from "../support/service-world.ts";

/** `a` holds the stick and `b` wants it. */
async function heldRoom() {
  const world = new ServiceWorld({ goneGraceMs: 1000 });
  const contextPath = world.directory("tree");
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath }));
  accepted(await world.as("b").joinPath({ contextPath }));
  accepted(await world.as("a").waitForTurn({ roomId, maxWaitMs: 0 }));
  const request = (more: object = {}) => world.as("b").requestStick({ roomId, why: "mine waits", ...more });
  return { world, roomId, request };
}

it("a holder that is gone is not asked; the refusal says how to take over", async () => {
  const { world, request } = await heldRoom();
  world.gone.add("a");
  expect(await request()).not.toHaveProperty("error");
  world.nowMs += 2000;
  expect(await request()).toMatchObject({
    error: "recipient_unreachable",
    next: expect.arrayContaining([expect.objectContaining({ do: "takeover_stick" })]),
    facts: { current_owner: "a" },
  });
});

it("what is needed is text, and nothing is needed where none is given", async () => {
  const { world, request } = await heldRoom();
  expect(await request({ needs: { a: 1 } })).toMatchObject({ error: "invalid_input", facts: { field: "needs" } });
  for (const needs of ["src/parser.ts", " ", ""]) accepted(await request({ needs }));
  const { messages } = accepted(await world.as("a").takeMessages({})).answer;
  expect(messages.map(({ body }) => body)).toEqual(["mine waits\n\nNeeds: src/parser.ts", "mine waits", "mine waits"]);
});

it.each([Number.NaN, 0, 1.5, "9"])("maxBytes cannot be %s", async (maxBytes) => {
  const { world } = await heldRoom();
  const input = { maxBytes } as { maxBytes: number };
  expect(await world.as("a").takeMessages(input)).toMatchObject({
    error: "invalid_input",
    facts: { field: "max_bytes" },
  });
});
