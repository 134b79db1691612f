import { describe, expect, it } from "vitest";
import { nearest } from "../../../src/core/nearest.ts";
import type { Command } from "../../../src/surfaces/cli/command.ts";
import { parseArtifact } from "../../../src/surfaces/cli/handoff-flags.ts";
import { parseDuration, parseLine } from "../../../src/surfaces/cli/parse.ts";
import { UsageError } from "../../../src/surfaces/cli/usage-error.ts";

const wait: Command = {
  name: "wait",
  summary: "",
  example: "tt wait",
  positionals: [{ name: "path" }],
  flags: {
    timeout: { kind: "duration", help: "" },
    tag: { kind: "list", help: "" },
    limit: { kind: "number", help: "" },
  },
  run: async () => 0,
};
const kick: Command = { ...wait, name: "kick", flags: {}, positionals: [{ name: "agent", required: true }] };
const say: Command = { ...wait, name: "say", flags: {}, positionals: [{ name: "words", rest: true, required: true }] };
const send: Command = { ...say, name: "msg send" };
const recv: Command = { ...wait, name: "msg recv", positionals: [] };
const alone: Command = { ...wait, name: "alone", roomless: true };
const commands = [wait, kick, say, send, recv, alone];

const parse = (line: string) => parseLine(line.split(" ").filter(Boolean), commands);

function usageOf(line: string): UsageError {
  try {
    parse(line);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error(`accepted: ${line}`);
}

describe("a line", () => {
  it("may have global flags before the command and after it", () => {
    const { command, args } = parse("--json --agent me:1 wait --timeout 2s --path /tmp");
    expect(command?.name).toBe("wait");
    expect([args.isSet("json"), args.text("agent"), args.number("timeout"), args.text("path")]).toEqual([
      true,
      "me:1",
      2000,
      "/tmp",
    ]);
  });

  it("takes values after = and after a space, and lists in order", () => {
    const { args } = parse("wait --tag a --tag=b --limit=-3");
    expect(args.list("tag")).toEqual(["a", "b"]);
    expect(args.number("limit")).toBe(-3);
  });

  it("leaves words after -- alone", () => {
    expect(parse("say -- --json hello").args.rest).toEqual(["--json", "hello"]);
  });

  it("may name a command of two words, with global flags around them", () => {
    const { command, args } = parse("--json msg --agent me:1 send a b --path /tmp");
    expect([command?.name, args.rest, args.text("agent"), args.text("path")]).toEqual([
      "msg send",
      ["a", "b"],
      "me:1",
      "/tmp",
    ]);
  });

  it("asks for help about all commands that begin with a word", () => {
    const { command, family } = parse("msg --help");
    expect([command, family.map(({ name }) => name)]).toEqual([null, ["msg send", "msg recv"]]);
  });

  it("without a command means the room at a glance", () => {
    expect(parse("--json").command).toBeNull();
  });

  it("asks for help even when it is not finished", () => {
    expect(parse("kick --help").args.isSet("help")).toBe(true);
    expect(parse("kick -h").args.isSet("help")).toBe(true);
  });

  it.each([
    ["wiat", "Did you mean: tt wait"],
    ["xyzzy", "tt --help"],
    ["wait --timeuot 3s", "Did you mean: --timeout"],
    ["wait --constructor", "tt wait --help"],
    ["wait -x", "tt wait --help"],
    ["wait --timeout", "--timeout"],
    ["wait --timeout 3", "--timeout 30s"],
    ["wait --json=yes", "--json"],
    ["wait --limit 1.5", "--limit 10"],
    ["wait --limit 1 --limit 2", "once"],
    ["wait here there", "tt wait --help"],
    ["kick", "tt wait"],
    ["say", "tt wait"],
    ["msg", "tt wait"],
    ["msg sned x", "Did you mean: tt msg send"],
    ["msg recv --timeuot 3s", "Did you mean: --timeout"],
    ["send", "Did you mean: tt msg send"],
    ["frobnicate", "tt --help"],
    ["wait --json --text", "one of them"],
    ["--text wait --json", "one of them"],
    ["alone --room r1", "Leave --room out"],
  ])("%j is refused with what to type instead", (line, next) => {
    expect(usageOf(line).next).toContain(next);
  });

  it.each(["kick", "say"])("tt %s with an empty word is one without a word", (name) => {
    for (const word of ["", " "]) expect(() => parseLine([name, word], commands)).toThrow(usageOf(name).message);
  });
});

it.each([
  ["0", 0],
  ["500ms", 500],
  ["1.5s", 1500],
  ["10m", 600_000],
  ["24h", 86_400_000],
])("%s is a duration", (text, ms) => {
  expect(parseDuration("timeout", text)).toBe(ms);
});

it("a flag may have a longest duration of its own", () => {
  const prune: Command = { ...wait, name: "prune", flags: { idle: { kind: "duration", maxHours: 87_600, help: "" } } };
  const idle = (text: string) => parseLine(["prune", "--idle", text], [prune]).args.number("idle");
  expect(idle("720h")).toBe(30 * 86_400_000);
  expect(() => idle("87601h")).toThrow("up to 87600h");
});

it.each(["", "5", "s", "-1s", "1w", "25h", "1e3s", "NaNs", "1 s", "٣s"])("%j is no duration", (text) => {
  expect(() => parseDuration("timeout", text)).toThrow(UsageError);
});

it.each([
  ["src/a.ts", { path: "src/a.ts" }],
  ["src/a.ts:3-9", { path: "src/a.ts", lines: [3, 9] }],
  ["src/a.ts:7", { path: "src/a.ts", lines: [7, 7] }],
  ["src/a.ts:review", { path: "src/a.ts", role: "review" }],
  ["a:b.ts:1-2:edit", { path: "a:b.ts", lines: [1, 2], role: "edit" }],
  ["a:other", { path: "a:other" }],
  ["x:1-3:foo", { path: "x", lines: [1, 3], role: "foo" }],
  ["x:3:Edit", { path: "x", lines: [3, 3], role: "Edit" }],
  ["a:1:b.ts", { path: "a:1:b.ts" }],
])("the artifact %j", (text, artifact) => {
  expect(parseArtifact(text)).toEqual(artifact);
});

it.each(["", ":3", ":1-40", ":1-40:review"])("an artifact without a file is a mistake: %j", (text) => {
  expect(() => parseArtifact(text)).toThrow(UsageError);
});

it("a near name is offered, a far one is not", () => {
  expect(nearest("relaese", ["release", "list"])).toBe("release");
  expect(nearest("rel", ["release", "list"])).toBe("release");
  expect(nearest("pasue", ["pass", "pause"])).toBe("pause");
  expect(nearest("qqqqqq", ["release", "list"])).toBeNull();
  expect(nearest("", ["release"])).toBeNull();
});
