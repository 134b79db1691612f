import { describe, expect, it, test } from "vitest";
import { EVERYDAY } from "../../src/app/fast-commands.ts";
import { EVERYDAY_NAMES, keptFor, programFor } from "../../src/app/program-for.ts";
import { bare, GROUPS } from "../../src/surfaces/cli/table.ts";

it("the launcher knows the everyday commands by their names", () => {
  expect(EVERYDAY_NAMES).toEqual(EVERYDAY.map(({ name }) => name));
});

test.each(EVERYDAY.map((command) => [command.name, command] as const))(
  "tt %s is the same command in both programs",
  (_, command) => {
    expect([...GROUPS.flatMap(({ commands }) => commands), bare]).toContain(command);
  },
);

describe("which program a line is for", () => {
  test.each([
    [["try"], "everyday"],
    [["try", "--help"], "everyday"],
    [["msg", "send", "codex", "hello"], "everyday"],
    [["mcp", "--tools", "core"], "mcp"],
    [["ui", "--no-open"], "ui"],
    [["msg", "trace", "m1"], "whole"],
    [["msg"], "whole"],
    [["--json", "state"], "whole"],
    [["send"], "whole"],
    [[], "everyday"],
  ] as const)("%j: %s", (words, program) => {
    expect(programFor(words)).toBe(program);
  });
});

describe("for which commands compiled code is kept", () => {
  test.each([
    [["try"], "everyday", ["try"]],
    [["msg", "send", "codex", "hello"], "everyday", ["msg-send"]],
    [["msg", "recv"], "everyday", ["msg-recv"]],
    [["state"], "everyday", ["reads"]],
    [["status", "--json"], "everyday", ["reads"]],
    [[], "everyday", ["reads"]],
    [["join"], "tt", ["join", "reads"]],
    [["--data", "/secret/../x", "join"], "tt", ["reads"]],
    [["../../x"], "tt", ["reads"]],
    [[], "tt", ["reads"]],
  ] as const)("%j of %s: %j", (words, program, names) => {
    expect(keptFor(words, program)).toEqual(names);
  });

  test.each(EVERYDAY_NAMES)("%s gives the name of a file", (name) => {
    for (const kept of keptFor(name.split(" "), "everyday")) expect(kept).toMatch(/^[a-z]+(-[a-z]+)?$/);
  });
});
