/** Properties that must hold for whatever comes in, searched for by generated input. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeHandoff } from "../../../src/core/handoff.ts";
import { withCamelKeys, withSnakeKeys } from "../../../src/core/letter-case.ts";
import { isRefusal } from "../../../src/core/refusal.ts";
import { parseLine } from "../../../src/surfaces/cli/parse.ts";
import { GROUPS } from "../../../src/surfaces/cli/table.ts";
import { UsageError } from "../../../src/surfaces/cli/usage-error.ts";
import { visible, wrap } from "../../../src/surfaces/words/wrap.ts";

const almostAHandoff = fc.record(
  {
    status: fc.anything(),
    nextAction: fc.anything(),
    artifacts: fc.anything(),
    openQuestions: fc.anything(),
    doNot: fc.anything(),
  },
  { requiredKeys: [] },
);

it("every input is a handoff or a refusal that names a field", () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), almostAHandoff), (input) => {
      const decoded = decodeHandoff(input, 16_384);
      if (isRefusal(decoded)) expect(decoded.facts).toSatisfy((facts: object) => "field" in facts || "limit" in facts);
      else expect(decoded.status.trim()).not.toBe("");
    }),
  );
});

it("names that went to the wire come back as they were", () => {
  const camelName = fc.stringMatching(/^[a-z]{1,5}([A-Z][a-z]{0,4}){0,3}$/);
  const document = fc.letrec((tie) => ({
    value: fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(tie("value")), tie("object")),
    object: fc.dictionary(camelName, tie("value"), { maxKeys: 4 }),
  })).object;
  fc.assert(
    fc.property(document, (value) => {
      expect(withCamelKeys(withSnakeKeys(value))).toEqual(value);
    }),
  );
});

it("every command line is understood or refused with a way on", () => {
  const commands = GROUPS.flatMap((group) => group.commands);
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom(...commands.map((command) => command.name)),
    fc.constantFrom("--json", "--timeout", "--agent", "--limit=3", "--", "-h", "--stdin", "1s", "=", "--=", "-"),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (words) => {
      try {
        parseLine(words, commands);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
        expect((error as UsageError).next).not.toBe("");
      }
    }),
  );
});

it("text for a terminal holds no control characters and keeps every word", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 20, max: 100 }), (text, width) => {
      const wrapped = wrap(text, width);
      expect(wrapped).not.toMatch(/[^\P{Cc}\n]/u);
      expect(wrapped.replaceAll(/\s/g, "")).toBe(visible(text).replaceAll(/\s/g, ""));
    }),
  );
});
