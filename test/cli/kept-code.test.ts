import { expect, test } from "vitest";
import { CliWorld } from "./support/cli-world.ts";
import { keptCodeIn, spoilKeptCode } from "./support/kept-code.ts";

const [SENDER, READER] = [{ as: "codex:1" }, { as: "claude:1" }];

test("a command that shows mail keeps the code for that once, and then reads it", async () => {
  const world = new CliWorld();
  for (const agent of [SENDER, READER]) await world.done("join", agent);
  await world.done("msg recv", READER);
  expect(keptCodeIn(world)).toHaveProperty("everyday-msg-recv");
  const receive = async () => {
    await world.done("msg send claude hello", SENDER);
    expect((await world.done("msg recv", READER)).stdout).toContain("hello");
    return keptCodeIn(world);
  };
  const kept = await receive();
  expect(kept).toHaveProperty("everyday-msg-recv-with-mail");
  expect(await receive()).toEqual(kept);
  await world.done("msg recv", READER);
  expect(keptCodeIn(world)).toEqual(kept);
});

test("code for shown mail that V8 rejects is kept once more, not by each command", async () => {
  const world = new CliWorld();
  for (const agent of [SENDER, READER]) await world.done("join", agent);
  await world.done("msg send claude hello", SENDER);
  for (const shown of ["hello", ""]) expect((await world.done("msg recv", READER)).stdout).toContain(shown);
  spoilKeptCode(world, "everyday-msg-recv-with-mail");
  await world.done("msg recv", READER);
  const kept = keptCodeIn(world);
  expect(kept).toHaveProperty("everyday-msg-recv");
  await world.done("msg recv", READER);
  expect(keptCodeIn(world)).toEqual(kept);
});
