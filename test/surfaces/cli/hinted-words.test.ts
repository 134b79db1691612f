/** Words of other tools lead to the command that does what they mean. */
import { describe, expect, it } from "vitest";
import { OTHER_WORDS } from "../../../src/surfaces/cli/other-words.ts";
import { parseLine } from "../../../src/surfaces/cli/parse.ts";
import { GROUPS } from "../../../src/surfaces/cli/table.ts";
import { UsageError } from "../../../src/surfaces/cli/usage-error.ts";

const commands = GROUPS.flatMap((group) => group.commands);
const names = commands.map(({ name }) => name);

describe.each(OTHER_WORDS)("given the word $word", ({ word, command, isSame = false, why = "" }) => {
  it(`when it is typed, then ${command === undefined ? "no command" : `tt ${command}`} ${isSame ? "runs" : "is named"}`, () => {
    if (command !== undefined) expect(names.some((name) => `${command} `.startsWith(`${name} `))).toBe(true);
    expect(names).not.toContain(word);
    if (isSame) return expect(parseLine([word, "--help"], commands, OTHER_WORDS).command?.name).toBe(command);
    const error = usageOf([word]);
    expect(error.message).toBe(`There is no command "${word}".`);
    const hint = command === undefined ? "" : `Did you mean: tt ${command}`;
    expect(error.next).toBe(`${why} ${hint}`.trim());
  });
});

it.each([
  ["trace", "msg trace"],
  ["send", "msg send"],
  ["recv", "msg recv"],
  ["requeue", "dlq requeue"],
  ["purge", "dlq purge"],
  ["add", "notes add"],
  ["resolve", "notes resolve"],
])("given the second word %s alone, when it is typed, then tt %s is named", (word, command) => {
  expect(usageOf([word]).next).toBe(`Did you mean: tt ${command}`);
});

it("given two rows, when they have the same word, then one of them would never be read", () => {
  const words = OTHER_WORDS.map(({ word }) => word);
  expect(new Set(words).size).toBe(words.length);
});

function usageOf(words: readonly string[]): UsageError {
  try {
    parseLine(words, commands, OTHER_WORDS);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error(`accepted: ${words.join(" ")}`);
}
