/** Colour and lines that change are for people who watch; files, pipes and people who ask for none get plain text. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { asPerson, CliWorld } from "./support/cli-world.ts";

const ESCAPE = "\u001b";

it("a terminal gets colour, unless it is asked not to", async () => {
  const world = new CliWorld();
  await world.done("try", { as: "a:1" });
  expect((await asPerson(world, "state")).stdout).toContain(`${ESCAPE}[32m●${ESCAPE}[0m`);
  expect((await asPerson(world, "state", { env: { NO_COLOR: "1" } })).stdout).not.toContain(ESCAPE);
  expect((await asPerson(world, "state", { env: { TERM: "dumb" } })).stdout).not.toContain(ESCAPE);
  expect((await asPerson(world, "state --json")).stdout).not.toContain(ESCAPE);
  expect((await world.tt("state", { env: { FORCE_COLOR: "1", TERM: "xterm-256color" } })).stdout).not.toContain(ESCAPE);
});

it("errors in a file are plain, also when the answer goes to a terminal", async () => {
  const world = new CliWorld();
  expect((await asPerson(world, "state")).stdout).toContain(`${ESCAPE}[31mtt:${ESCAPE}[0m`);
  const file = join(world.root, "errors.txt");
  const line = `'${process.execPath}' '${world.program}' state 2> '${file}'`;
  const terminal = world.startProgram("script", ["-qfec", line, "/dev/null"], { env: { TERM: "xterm-256color" } });
  expect((await terminal.ended).code).toBe(5);
  expect(readFileSync(file, "utf8")).toMatch(/^tt: There is no room/);
});

it("what others wrote reaches the terminal as text, never as commands to it", async () => {
  const world = new CliWorld();
  const hostile = `red ${ESCAPE}[31m, a bell \u0007, a title ${ESCAPE}]0;x\u0007, backwards \u202e`;
  await world.done(["notes", "add", hostile], { as: "a:1" });
  await world.done("try", { as: "a:1" });
  await world.done(["release", "--status", hostile, "--next-action", "y", "--artifact", `${ESCAPE}[2J`], { as: "a:1" });
  for (const line of ["notes", "events", "state"]) {
    const { stdout } = await world.tt(line, { as: "b:2" });
    expect(stdout).toContain("\\u{1b}");
    expect(stdout).not.toMatch(/[^\P{C}\n]/u);
  }
  const { notes } = (await world.tt("notes --json")).json() as { notes: { body: string }[] };
  expect(notes[0]?.body).toBe(hostile);
});
