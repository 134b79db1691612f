/** Dots and capitals that a hint prints in the place of words are refused wherever words are wanted, and nothing is done. */
import { expect, it } from "vitest";
import { asPerson, PERSON, worldOfTwo } from "./support/cli-world.ts";

const A = { as: "a:1" };
const B = { as: "b:2" };

it.each(["…", "...", "TEXT"])("%s is no reason, no request, no note, no card and no message", async (dots) => {
  const world = await worldOfTwo();
  await world.done("try", A);
  const before = (await world.done("log --json")).stdout;
  for (const line of [
    ["release", "--status", dots, "--next-action", dots],
    ["request", dots],
    ["card", dots],
    ["notes", "add", dots],
    ["msg", "send", "b:2", dots],
    ["ask", "b:2", dots],
    ["reply", dots],
    ["kick", "a:1", "--reason", dots],
  ]) {
    const outcome = await world.tt(line, line[0] === "request" || line[0] === "kick" ? B : A);
    expect([line[0], [2, 5].includes(outcome.code ?? 0), outcome.stdout]).toEqual([line[0], true, ""]);
  }
  for (const line of [
    ["take", "--yes", "--reason", dots],
    ["give", "b", "--yes", "--reason", dots],
    ["pause", "--reason", dots],
    ["close", "--operator-requested", "--reason", dots],
  ])
    expect([line[0], (await asPerson(world, line)).code]).toEqual([line[0], 5]);
  expect((await world.done("log --json")).stdout).toBe(before);
});

it("a holder that leaves is told that it left no handoff, and so is a person who removes it", async () => {
  const world = await worldOfTwo();
  await world.done("try", A);
  expect((await world.done("leave", A)).stdout).toContain("Your turn 1 ended without a handoff.");
  await world.done("try", B);
  expect((await world.done("leave --json", B)).json()).toMatchObject({ gave_up_turn_id: 2 });
  await world.done("try", A);
  await asPerson(world, "join");
  const kicked = await asPerson(world, "kick a --force --yes");
  expect(kicked.stdout).toContain("a was removed; its turn ended without a handoff.");
  expect((await world.done("log")).stdout.match(/held the stick, without a handoff/g)).toHaveLength(3);
  await world.done("join", B);
  expect((await world.done("leave --json", B)).json()).not.toHaveProperty("gave_up_turn_id");
});

it("a person is told that agents read a person's words", async () => {
  const world = await worldOfTwo();
  expect((await asPerson(world, "msg send b hello")).stdout).toMatch(/^Sent, as a person's words\.\n/);
  expect((await world.done("msg send b hello", A)).stdout).toMatch(/^Sent\.\n/);
  expect((await world.done("msg recv --json", B)).json()).toMatchObject({
    messages: [{ from: PERSON, origin: "human" }, { origin: "peer" }],
  });
});
