import { describe, expect, it, test } from "vitest";
import { EVERYDAY_NAMES, programFor } from "../../src/main/program-for.ts";
import { EVERYDAY } from "../../src/surfaces/cli/everyday.ts";
import { GROUPS } from "../../src/surfaces/cli/table.ts";

it("the launcher knows the everyday commands by their names", () => {
  expect(EVERYDAY_NAMES).toEqual(EVERYDAY.map(({ name }) => name));
});

test.each(EVERYDAY.map((command) => [command.name, command] as const))(
  "tt %s is the same command in both programs",
  (_, command) => {
    expect(GROUPS.flatMap(({ commands }) => commands)).toContain(command);
  },
);

describe("which program a line is for", () => {
  test.each([
    [["try"], "everyday"],
    [["try", "--help"], "everyday"],
    [["msg", "send", "codex", "hello"], "everyday"],
    [["mcp", "--tools", "core"], "mcp"],
    [["msg", "trace", "m1"], "whole"],
    [["msg"], "whole"],
    [["--json", "state"], "whole"],
    [["send"], "whole"],
    [[], "whole"],
  ] as const)("%j: %s", (words, program) => {
    expect(programFor(words)).toBe(program);
  });
});
