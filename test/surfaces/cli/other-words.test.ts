import { expect, it } from "vitest";
import { parseAnyWords } from "../../../src/surfaces/cli/other-words.ts";
import type { ParsedLine } from "../../../src/surfaces/cli/parse.ts";
import { GROUPS } from "../../../src/surfaces/cli/table.ts";
import { UsageError } from "../../../src/surfaces/cli/usage-error.ts";

const COMMANDS = GROUPS.flatMap(({ commands }) => commands);

function parsed(line: string): ParsedLine {
  return parseAnyWords(line.split(" "), COMMANDS);
}

/** The command, its words and its flags. */
function allOf({ command, args }: ParsedLine) {
  const flags = ["json", ...Object.keys(command?.flags ?? {})];
  return [command?.name, args.positional("path"), flags.map((flag) => [flag, args.value(flag)])];
}

it.each([
  ["takeover --reason x", "take --reason x"],
  ["--json takeover . --reason x", "--json take . --reason x"],
  ["assign next --status x --next-action y", "release --status x --next-action y"],
  ["assign next --stdin", "release --stdin"],
  ["pass --status x --next-action y", "release --status x --next-action y"],
  ["pass", "release"],
  ["wait --park", "listen"],
  ["wait . --timeout 10m --park --json", "listen . --timeout 10m --json"],
])("tt %s means tt %s", (theirs, ours) => {
  expect(allOf(parsed(theirs))).toEqual(allOf(parsed(ours)));
});

it.each(["assign codex --status next --next-action y", "pass next --status x", "wait --timeout 10m", "pass codex"])(
  "tt %s is ours already",
  (line) => expect(parsed(line).command?.name).toBe(line.split(" ")[0]),
);

it("tt kick takes a directory after the agent", () => {
  const { command, args } = parsed("kick codex /work --force");
  expect([command?.name, args.positional("agent"), args.positional("path")]).toEqual(["kick", "codex", "/work"]);
});

it.each([
  ["pass codex src", '"src" is one word too many for tt pass.'],
  ["takeover --resaon x", 'tt take has no flag "--resaon".'],
])("tt %s is wrong in the words that fit best", (line, message) => {
  expect(() => parsed(line)).toThrow(message);
});

function nextOf(line: string): string {
  try {
    parsed(line);
  } catch (error) {
    if (error instanceof UsageError) return error.next;
    throw error;
  }
  throw new Error(`accepted: tt ${line}`);
}

it.each([
  ["notes list --all", "notes list"],
  ["notes --all", "notes"],
])("tt %s is tt %s", (line, name) => {
  expect(parsed(line).command?.name).toBe(name);
});

it.each([
  ["notes list --after 3xk9f0q2", "tt notes list --before ID"],
  ["msg recv --target any", "tt log --event message_sent --target any"],
  ["msg send codex hello --room", "tt msg send room TEXT"],
])("tt %s names %s", (line, right) => {
  expect(nextOf(line)).toContain(right);
});

it("flags of ours keep their meaning", () => {
  expect(parsed("msg send codex hello --room r1").args.text("room")).toBe("r1");
  expect(nextOf("state --room")).toBe("Write --room ID.");
  expect(nextOf("msg send codex hello --target any")).toContain("tt msg send --help");
});
