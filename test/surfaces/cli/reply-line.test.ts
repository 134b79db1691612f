import { expect, it } from "vitest";
import { replyLine } from "../../../src/surfaces/cli/commands/mail/reply-line.ts";
import { UsageError } from "../../../src/surfaces/cli/usage-error.ts";

const EXAMPLE = 'tt reply "port 8080"';
const ID = `${"0k3v9zq".padEnd(25, "x")}-1`;

it.each([
  { words: ["yes, until the migration has run"], meant: { body: "yes, until the migration has run" } },
  { words: ["yes"], meant: { body: "yes" } },
  { words: [ID, "yes"], meant: { messageId: ID, body: "yes" } },
  { words: ["yes", "please"], meant: { messageId: "yes", body: "please" } },
])("of $words the first of several is an id, and one alone is the text", ({ words, meant }) => {
  expect(replyLine(words, false, EXAMPLE)).toEqual(meant);
});

it("with the text on standard input, a word is an id", () => {
  expect(replyLine([], true, EXAMPLE)).toEqual({});
  expect(replyLine([ID], true, EXAMPLE)).toEqual({ messageId: ID });
  expect(() => replyLine([ID, "yes"], true, EXAMPLE)).toThrow(UsageError);
});

it.each([[[]], [[""]], [[" "]], [[ID]]])("%j has no text", (words) => {
  expect(() => replyLine(words, false, EXAMPLE)).toThrow("There is no text to send.");
});
