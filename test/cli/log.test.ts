/** tt log: the log for people, once and as a stream, whole or in part. */
import { expect, it } from "vitest";
import { asPerson, CliWorld, worldOfTwo } from "./support/cli-world.ts";
import { atTerminal, Terminals } from "./support/terminal.ts";

const A = { as: "a:1" };
const B = { as: "b:2" };
const CLOCK = /^\d\d:\d\d:\d\d {2}/;

const heads = (text: string) => text.split("\n").filter((line) => CLOCK.test(line));

it("shows clock times and handles, and is the same as events", async () => {
  const world = await worldOfTwo();
  await world.done("try", A);
  const { stdout } = await world.done("log");
  expect(heads(stdout).map((line) => line.replace(CLOCK, ""))).toEqual([
    "member_joined       a",
    "member_joined       b",
    "claim               a",
  ]);
  expect((await world.done("events")).stdout).toBe(stdout);
  expect((await world.done("log --json")).stdout).toBe((await world.done("events --json")).stdout);
  expect((await world.done("log --ids --limit 1")).stdout).toMatch(/^\S+ {2}3 claim {15}a:1\n/);
});

it("shows one agent, one turn, or the last hour", async () => {
  const world = await worldOfTwo();
  await world.done("try", A);
  await world.done("msg send b hello", A);
  await world.done("release --status done --next-action go", A);
  await world.done("try", B);
  const types = async (line: string) =>
    ((await world.done(`${line} --json`)).json()["events"] as { event_type: string }[]).map((one) => one.event_type);
  expect(await types("log --agent b")).toEqual(["member_joined", "message_sent", "claim"]);
  expect(await types("log --agent=a:1 --turn 1")).toEqual(["claim", "message_sent", "release"]);
  expect(await types("log --since 1h")).toHaveLength(6);
  expect(await types("log --since 1ms")).toEqual([]);
  // Before the command it says who reads.
  expect(await types("--agent b:2 log --target self")).toEqual(["message_sent"]);
  const following = world.start("log --follow --since 1h --by b");
  await following.until(({ stdout }) => heads(stdout).length === 3);
  following.kill("SIGTERM");
  const follow = await following.ended;
  expect(heads(follow.stdout).map((line) => line.replace(CLOCK, ""))).toEqual([
    "member_joined       b",
    "message_sent        a → b",
    "claim               b",
  ]);
  expect(follow.stdout).toMatch(/\nGo on with: tt log --follow --after 6 --by b\n$/);
});

it("the last 50 come with a line that says how to see more, and that line works", async () => {
  const world = await worldOfTwo();
  for (let number = 0; number < 3; number += 1) await world.done(`notes add number ${number}`, A);
  const { stdout } = await world.done("log --limit 2");
  const [, more = ""] = /To see more: tt (.*)$/m.exec(stdout) ?? [];
  expect(more).toBe("log --limit 8");
  const all = await world.done(more);
  expect(heads(all.stdout)).toHaveLength(5);
  expect(all.stdout).not.toContain("Older");
  const part = await world.done("log --agent a --since 1h --turn 0 --event note_added --limit 1");
  const [, rest = ""] = /To see more: tt (.*)$/m.exec(part.stdout.replace(/\n +/g, " ")) ?? [];
  expect(rest).toBe("log --limit 4 --event note_added --by a --turn 0 --since 1h");
  expect(heads((await world.done(rest)).stdout)).toHaveLength(3);
});

it.each([
  ["log --since soon", "is not a duration"],
  ["log --since 1h --after 3", "excludes --after"],
  ["log --since 1h --wait", "no effect with --wait"],
  ["log --turn one", "is not a whole number"],
])("%s is wrong", async (line, why) => {
  const { code, stderr } = await new CliWorld().tt(line);
  expect([code, stderr.replace(/\s+/g, " ")]).toEqual([2, expect.stringContaining(why)]);
});

it("colour is where it was asked for, also in a pipe, and NO_COLOR takes it away", async () => {
  const world = await worldOfTwo();
  expect((await world.done("log --color always")).stdout).toContain("\u001b[2m");
  expect((await world.done("log")).stdout).not.toContain("\u001b");
  const wrong = await world.tt("state --room nowhere --color always");
  expect([wrong.code, wrong.stderr]).toEqual([5, expect.stringContaining("\u001b[31mtt:\u001b[0m")]);
  expect((await asPerson(world, "log --color never")).stdout).not.toContain("\u001b");
  expect((await asPerson(world, "log", { env: { NO_COLOR: "1" } })).stdout).not.toContain("\u001b");
});

atTerminal("it fits a terminal of 20 columns, and what others wrote stays text", async () => {
  const world = await worldOfTwo();
  await world.done(["msg", "send", "room", "red \u001b[31m and a long word: ".concat("x".repeat(60))], A);
  const terminals = new Terminals(world);
  const terminal = terminals.open("narrow");
  terminals.tmux("resize-window", "-t", "narrow", "-x", "20", "-y", "40");
  const screen = await terminal.run("tt log --event message_sent");
  expect(screen).toMatch(/^\d\d:\d\d:\d\d {2}message_se?/m);
  // tmux joins what it had to break itself; here it had to break nothing but the typed line.
  const joined = terminals.tmux("capture-pane", "-p", "-J", "-t", "narrow").split("\n");
  const shown = joined.slice(joined.findIndex((line) => /^\d\d:/.test(line)));
  expect(shown.filter((line) => line.trimEnd().length > 20)).toEqual([]);
  expect(shown.join("")).toContain("\\u{1b}");
});
