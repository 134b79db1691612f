import { readdirSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { CliWorld } from "../cli/support/cli-world.ts";
import { processesWith } from "../cli/support/processes.ts";
import { expectPlain } from "../cli/support/transcript.ts";

const CHAPTERS = ["1. claude", "2. codex", "3. claude", "4. An old", "5. Without", "6. codex", "7. What"];

function demoIn(world: CliWorld) {
  const tmp = world.directory("tmp");
  return { tmp, running: world.start("demo --fast", { env: { TMPDIR: tmp } }) };
}

async function untilGone(text: string): Promise<void> {
  while (processesWith(text).length > 0) await setTimeout(20);
}

it("the demo tells its story and leaves nothing behind", async () => {
  const world = new CliWorld();
  const { tmp, running } = demoIn(world);
  const { code, stdout, stderr } = await running.ended;
  expect([code, stderr]).toEqual([0, ""]);
  expectPlain(stdout);
  for (const chapter of CHAPTERS) expect(stdout).toContain(`\n${chapter}`);
  expect(stdout).toContain("has its answer from codex:demo: yes, it is wrong on purpose");
  expect(stdout).toContain("your turn: turn 3, with the handoff that codex had been given");
  expect(stdout).toMatch(/^ +\d+ {2}takeover +claude:demo ← codex:demo$/m);
  expect(readdirSync(tmp)).toEqual([]);
  expect(processesWith(tmp)).toEqual([]);
});

it.each(CHAPTERS)("a demo that is interrupted at chapter %s leaves no process and no file", async (chapter) => {
  const world = new CliWorld();
  const { tmp, running } = demoIn(world);
  await running.until(({ stdout }) => stdout.includes(`\n${chapter}`));
  running.kill("SIGINT");
  const { code, stderr } = await running.ended;
  expect([chapter === "7. What" ? code === 0 || code === 130 : code === 130, stderr]).toEqual([true, ""]);
  expect(readdirSync(tmp)).toEqual([]);
  expect(processesWith(tmp)).toEqual([]);
});

it.each([3, 8, 20])("a demo whose reader reads %i lines leaves no process and no file", async (lines) => {
  const world = new CliWorld();
  const tmp = world.directory("tmp");
  const through = ["sh", "-c", `"$@" | head -n ${lines}`, "sh"];
  const reading = world.start("demo --fast", { env: { TMPDIR: tmp }, through });
  const { code, stdout, stderr } = await reading.ended;
  expect([code, stdout.split("\n").length - 1, stderr]).toEqual([0, lines, ""]);
  expect(readdirSync(tmp)).toEqual([]);
  await untilGone(tmp);
});

it("a demo that is killed takes its agents with it", async () => {
  const world = new CliWorld();
  const { tmp, running } = demoIn(world);
  await running.until(({ stdout }) => stdout.includes("\n2. codex"));
  running.kill("SIGKILL");
  await running.ended;
  await untilGone(tmp);
});
