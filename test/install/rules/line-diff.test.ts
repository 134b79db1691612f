import fc from "fast-check";
import { expect, it } from "vitest";
import { lineDiff } from "../../../src/install/rules/line-diff.ts";

const shown = (before: string | null, after: string | null) =>
  lineDiff(before, after).map(({ sign, text }) => `${sign}${text}`);

it("shows the lines that are added and removed, with their places, and no others", () => {
  expect(shown("a\nb\nc\nd\n", "a\nx\nc\nd\ne\n")).toEqual(["@line 2", "-b", "+x", "@line 5", "+e"]);
  expect(shown(null, "a\nb\n")).toEqual(["+a", "+b"]);
  expect(shown("a\nb\n", null)).toEqual(["-a", "-b"]);
  expect(shown("same\n", "same\n")).toEqual([]);
});

it("leaves out what a replaced line begins and ends with as the new one does", () => {
  const before = '{"long":"text","hooks":{"Stop":[1]},"more":"text"}';
  const after = '{"long":"text","hooks":{"Stop":[1,{"ours":2}]},"more":"text"}';
  const lines = shown(before, after);
  expect(lines.join("\n")).not.toContain("text");
  expect(lines.at(-1)).toContain(',{"ours":2}');
});

it("turns the old text into the new one, whatever the two are", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "{", "}"), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(`${before.join("\n")}\n`, `${after.join("\n")}\n`);
      const count = (sign: string) => lines.filter((line) => line.sign === sign).length;
      expect(before.length - count("-") + count("+")).toBe(after.length);
    }),
  );
});

it("is quick for a long text with few changes", () => {
  const long = Array.from({ length: 50_000 }, (_, index) => `line ${index}`);
  expect(shown(long.join("\n"), [...long, "ours"].join("\n"))).toEqual(["@line 50001", "+ours"]);
});
