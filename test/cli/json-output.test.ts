/** JSON on a terminal: what others wrote must not act there, and means the same. */
import { expect, it } from "vitest";
import { type CliWorld, type RunOptions, worldOfTwo } from "./support/cli-world.ts";

const A = { as: "a:1" };
const B = { as: "b:2" };
const HOSTILE = "\u007f\u0085\u009b31m\u200b\u202e\u2066\u2028\u2029\ufeff\u00ad\u{e0041} end";
const HARMFUL = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

async function everyDoor(world: CliWorld): Promise<readonly string[]> {
  const printed: string[] = [];
  const run = async (words: readonly string[], options: RunOptions) => {
    const { stdout, stderr } = await world.tt([...words, "--json"], options);
    printed.push(stdout, stderr);
    return stdout;
  };
  await run(["try"], A);
  await run(["card", HOSTILE, "--file", HOSTILE, "--blocked-on", HOSTILE], A);
  await run(["notes", "add", HOSTILE], A);
  await run(["msg", "send", "b:2", HOSTILE], A);
  await run(["msg", "recv", "--peek"], B);
  await run(["msg", "recv", "--follow", "--timeout", "1ms"], B);
  await run(["msg", "recv", "--after", "0"], B);
  await run(["release", "--status", HOSTILE, "--next-action", HOSTILE, "--question", HOSTILE], A);
  await run(["events"], B);
  await run(["events", "--follow", "--after", "0", "--timeout", "1ms"], B);
  await run(["state"], B);
  await run([], B);
  await run(["try"], B);
  await run(["notes", "list"], B);
  await run(["peers"], B);
  await run(["export"], B);
  await run(["msg", "send", HOSTILE, "x"], A);
  await run(["kick", HOSTILE], A);
  await run(["wait", `--${HOSTILE}`], A);
  await run([HOSTILE], A);
  await run(["state", "--path", HOSTILE], A);
  return printed;
}

it("no door prints a character that acts on a terminal", async () => {
  const printed = await everyDoor(await worldOfTwo());
  expect(printed.filter((text) => HARMFUL.test(text))).toEqual([]);
  const exact = printed.flatMap((text) => text.split("\n")).filter((line) => line.startsWith("{"));
  expect(exact.filter((line) => JSON.stringify(JSON.parse(line)).includes("\u202e")).length).toBeGreaterThan(12);
});
