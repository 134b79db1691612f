import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonText } from "../../src/core/visible.ts";

/** What a terminal could take for a command, or use to hide or reorder what it shows. */
const HARMFUL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom("\u007f", "\u0080", "\u009b", "\u009f", "\u00ad", "\u061c", "\u200b", "\u200d", "\u202e", "\u2028"),
    fc.constantFrom("\u2029", "\u2066", "\ufeff", "\u{e0001}", "\u{1d173}", "\ufff9", "\u0000", "\u001b", "\ud800"),
    fc.constantFrom("a", '"', "\\", "é", "🪵", "漢", "\n"),
  ),
});

test("what is printed means the same, and no character of it can harm a terminal", () => {
  const value = fc.oneof(hostile, fc.dictionary(hostile, fc.oneof(hostile, fc.array(hostile))), fc.jsonValue());
  fc.assert(
    fc.property(value, (given) => {
      const text = jsonText(given);
      expect(text).not.toMatch(HARMFUL);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(given)));
    }),
    { numRuns: 2000 },
  );
});

test("each character alone, and as the whole of Unicode", () => {
  const wrong: string[] = [];
  for (let from = 0; from < 0x11_00_00; from += 256) {
    const codes = Array.from({ length: 256 }, (_, at) => from + at);
    const given = String.fromCodePoint(...codes);
    const text = jsonText(given);
    if (JSON.parse(text) !== given || HARMFUL.test(text)) wrong.push(from.toString(16));
  }
  expect(wrong).toEqual([]);
});

test("letters, pictures and borders stay as they are", () => {
  const plain = "Grüße 🪵 ✔ ├─ 漢字 … →";
  expect(jsonText({ plain })).toBe(`{"plain":"${plain}"}`);
});
