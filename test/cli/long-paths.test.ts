/** Text for people fits 80 columns, however long a path is; only what the next command needs stays whole. */
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CliWorld, type Outcome } from "./support/cli-world.ts";

const LONG = "a-directory-with-a-long-name".repeat(5);
const A = { as: "a:1" };

function tooWide({ stdout, stderr }: Outcome): string[] {
  return `${stdout}${stderr}`.split("\n").filter((line) => line.length > 80);
}

/** What was shown, without the places where it was broken. */
function unbroken({ stdout, stderr }: Outcome): string {
  return `${stdout}${stderr}`.replaceAll(/\n */g, "");
}

it.each([
  ["doctor --text", 0],
  ["init --print", 0],
  ["init --yes", 0],
  ["install claude --print", 0],
  ["state", 5],
])("tt %s", async (words, code) => {
  const world = new CliWorld();
  const cwd = world.directory(`tree/${LONG}`);
  const options = {
    ...A,
    cwd,
    env: { TT_DATA_DIR: join(world.root, LONG), CLAUDE_CONFIG_DIR: join(world.home, LONG) },
  };
  if (words.startsWith("doctor")) await world.done("join", options);
  if (words.startsWith("install")) mkdirSync(join(world.home, LONG));
  const outcome = await world.tt(words, options);
  expect([outcome.code, tooWide(outcome)]).toEqual([code, []]);
  expect(unbroken(outcome)).toContain(LONG);
});

it("the sentence of a fault is folded, and the path in the command that repairs it is not", async () => {
  const world = new CliWorld();
  const data = world.directory(LONG);
  chmodSync(data, 0o755);
  const outcome = await world.tt("try", { ...A, env: { TT_DATA_DIR: data } });
  expect([outcome.code, tooWide(outcome)]).toEqual([70, [`    ${data}`]]);
  expect(unbroken(outcome)).toContain(data);
});

it("a long word of the command line is folded where it is quoted", async () => {
  const outcome = await new CliWorld().tt(["policy", `${"x".repeat(150)}=1`], A);
  expect([outcome.code, tooWide(outcome)]).toEqual([5, []]);
});
