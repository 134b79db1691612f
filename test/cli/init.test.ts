/** `tt init` writes into other people's files, so it adds to them and never writes them again. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeRepository } from "../support/git-repository.ts";
import { CliWorld } from "./support/cli-world.ts";

const LINE = "Several agents may work here at once.";

function repository(): CliWorld {
  const world = new CliWorld();
  makeRepository(world.tree);
  return world;
}

it("shows what it would write, writes it once, and then has nothing to do", async () => {
  const world = repository();
  const { planned, written } = (await world.done("init --print --json")).json() as {
    planned: { path: string; text: string }[];
    written: boolean;
  };
  expect(written).toBe(false);
  const shown = (await world.done("init --print")).stdout.replace(/\s+/g, " ");
  for (const { text } of planned) expect(shown).toContain(text.replace(/\s+/g, " ").trim());
  expect((await world.done("init --yes --json")).json()).toMatchObject({ written: true });
  const text = readFileSync(join(world.tree, "AGENTS.md"), "utf8");
  expect(text).toContain(LINE);
  expect(text).toBe(planned.find(({ path }) => path.endsWith("AGENTS.md"))?.text);
  expect((await world.done("init --yes --json")).json()).toMatchObject({ planned: [], written: false });
  expect(readFileSync(join(world.tree, "AGENTS.md"), "utf8")).toBe(text);
});

it("keeps every byte of what is there, whatever its encoding", async () => {
  const world = repository();
  const before = Buffer.from([0x63, 0x61, 0x66, 0xe9]);
  writeFileSync(join(world.tree, "CLAUDE.md"), before);
  await world.done("init --yes");
  const after = readFileSync(join(world.tree, "CLAUDE.md"));
  expect(after.subarray(0, before.length)).toEqual(before);
  expect(after.subarray(before.length).toString()).toMatch(/^\n\nSeveral agents/);
});

it("adds one line where one guide is a link to the other", async () => {
  const world = repository();
  writeFileSync(join(world.tree, "AGENTS.md"), "# Guide\n");
  symlinkSync("AGENTS.md", join(world.tree, "CLAUDE.md"));
  await world.done("init --yes");
  expect(readFileSync(join(world.tree, "AGENTS.md"), "utf8").split(LINE)).toHaveLength(2);
});

it("says what is in the way", async () => {
  const world = repository();
  mkdirSync(join(world.tree, "AGENTS.md"));
  for (const line of ["init --print", "init --yes"]) {
    const outcome = await world.tt(`${line} --json`);
    expect([outcome.code, outcome.error()["error"], outcome.error()["cause"]]).toEqual([5, "invalid_path", "EISDIR"]);
  }
  const unwritable = await world.tt("init --yes --json --path /proc/self");
  expect([unwritable.code, unwritable.error()["error"]]).toEqual([5, "invalid_path"]);
});
