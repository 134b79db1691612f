/** What a person's gift of the stick tells the agents and the person. */
import { expect, it } from "vitest";
import { accepted, ServiceWorld } from "../support/service-world.ts";

/** `a` is a member, and eve, a person, is none yet. */
async function room() {
  const world = new ServiceWorld();
  const contextPath = world.directory("tree");
  const { roomId } = accepted(await world.as("a").joinPath({ contextPath }));
  const eve = world.as("human:eve", { person: true });
  const lettersTo = async (agent: string, person = false) => {
    const { answer, confirm } = accepted(await world.as(agent, { person }).takeMessages({}));
    await confirm();
    return answer.messages.map(({ body }) => body);
  };
  return { world, contextPath, roomId, eve, lettersTo };
}

it("a person who never joined can follow the advice to give the reserved stick to itself", async () => {
  const { world, contextPath, roomId, eve } = await room();
  const bob = world.as("human:bob", { person: true });
  accepted(await bob.joinPath({ contextPath }));
  accepted(await bob.giveStick({ roomId, toAgentId: "a" }));
  expect(await eve.takeoverStick({ roomId, expectedTurnId: 0, reason: "mine now" })).toMatchObject({
    error: "takeover_not_available",
    next: [expect.any(String), { do: "give_stick", with: { to_agent_id: "human:eve" } }],
  });
  expect(accepted(await eve.giveStick({ roomId, toAgentId: "human:eve" }))).toMatchObject({ reservedFor: "human:eve" });
  expect(accepted(await eve.waitForTurn({ roomId, maxWaitMs: 0 }))).toMatchObject({ status: "your_turn" });
});

it("a person that gets the stick from another in a pause is not told to wait for its end", async () => {
  const { world, contextPath, roomId, eve, lettersTo } = await room();
  accepted(await world.as("human:bob", { person: true }).joinPath({ contextPath }));
  accepted(await eve.pauseRoom({ roomId }));
  accepted(await eve.giveStick({ roomId, toAgentId: "human:bob", reason: "look at the parser" }));
  const letters = await lettersTo("human:bob", true);
  expect(letters.at(-1)).toMatch(/^A person gave you the stick of \S+\. Reason: look at the parser$/);
});

it("in a pause, the letter says so before the reason, which may end in any way", async () => {
  const { roomId, eve, lettersTo } = await room();
  accepted(await eve.pauseRoom({ roomId }));
  accepted(await eve.giveStick({ roomId, toAgentId: "a", reason: "look at the parser" }));
  expect((await lettersTo("a")).at(-1)).toMatch(
    /^A person gave you the stick of \S+\. The room is paused: [^.]+\. Reason: look at the parser$/,
  );
});

it("a long reason is cut at the end of a character in the letter", async () => {
  const { roomId, eve, lettersTo } = await room();
  for (const before of ["", "x"]) {
    accepted(await eve.giveStick({ roomId, toAgentId: "a", reason: `${before}${"🙂".repeat(150)}` }));
    const [letter = ""] = (await lettersTo("a")).slice(-1);
    expect(letter).toMatch(/🙂…$/u);
  }
});
