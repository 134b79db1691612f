/** The rows of a diff: folding, searching and moving among files. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type DiffRow,
  diffRows,
  fileBeside,
  findInRows,
  foldedAtFirst,
  shownLine,
  shownPart,
} from "../../../../src/surfaces/page/views/turns/diff-rows.ts";
import type { PatchFile, PatchRow } from "../../../../src/surfaces/page/views/turns/patch-files.ts";

function file(path: string, ...lines: readonly string[]): PatchFile {
  const rows = lines.map((text, index): PatchRow => ({ kind: "line", sign: "added", old: null, new: index + 1, text }));
  return { path, what: [], added: lines.length, removed: 0, rows, isPlain: false };
}

const long = (path: string, count: number) => file(path, ...Array.from({ length: count }, () => "x"));
const NONE: ReadonlySet<number> = new Set();

function short(rows: readonly DiffRow[]): readonly string[] {
  return rows.map((row) => (row.kind === "file" ? `[${row.file.path}]` : row.kind === "line" ? row.text : row.kind));
}

describe("folding", () => {
  const files = [file("a", "one", "two"), file("b"), file("c", "three")];

  test("a file that is folded has its head alone", () => {
    expect(short(diffRows(files, NONE))).toEqual(["[a]", "one", "two", "[b]", "[c]", "three"]);
    expect(short(diffRows(files, new Set([0])))).toEqual(["[a]", "[b]", "[c]", "three"]);
  });

  test("a row has a key of its own, the same while other files are folded", () => {
    const [all, some] = [NONE, new Set([0])].map((folded) => diffRows(files, folded).map(({ key }) => key));
    expect(new Set(all).size).toBe(6);
    expect(all).toEqual(expect.arrayContaining(some ?? []));
  });

  test("a diff of 5,000 lines opens unfolded; of a very long one the first file does", () => {
    expect(foldedAtFirst([long("a", 2500), long("b", 2500)])).toEqual(NONE);
    expect(foldedAtFirst([long("a", 15_000), long("b", 15_000), file("c", "x")])).toEqual(new Set([1, 2]));
    expect(foldedAtFirst([long("a", 100_000)])).toEqual(NONE);
  });
});

describe("searching", () => {
  const rows = diffRows([file("src/Parser.ts", "Alpha", "beta"), file("other", "ALPHABET")], NONE);

  test("finds lines and names of files, in any case", () => {
    expect(findInRows(rows, "alpha")).toEqual([1, 4]);
    expect(findInRows(rows, "parser")).toEqual([0]);
    expect(findInRows(rows, "gamma")).toEqual([]);
  });

  test("for nothing finds nothing", () => {
    expect(findInRows(rows, "")).toEqual([]);
  });
});

test("the next file is the one after the row, the one before is the head of the row's own file", () => {
  const rows = diffRows([file("a", "1"), file("b", "2")], NONE);
  expect([fileBeside(rows, 0, 1), fileBeside(rows, 1, 1), fileBeside(rows, 2, 1)]).toEqual([2, 2, null]);
  expect([fileBeside(rows, 3, -1), fileBeside(rows, 2, -1), fileBeside(rows, 0, -1)]).toEqual([2, 0, null]);
  // Above the first row stands what is known of the turn.
  expect(fileBeside(rows, -1, 1)).toBe(0);
});

describe("a line as it is shown", () => {
  test("shows characters that would hide, and the line break of another system as a sign", () => {
    expect(shownLine("a\tb\u202ec\u001b[31m")).toBe("a  b\\u{202e}c\\u{1b}[31m");
    expect(shownLine("end\r")).toBe("end␍");
    expect(shownLine("mid\rdle")).toBe("mid\\u{d}dle");
  });

  test("of a long line the beginning is shown, or the part in which the wanted text stands", () => {
    const line = `${"a".repeat(500_000)}Needle${"b".repeat(500_000)}`;
    expect(shownPart(line, "")).toEqual({ text: "a".repeat(2000), before: 0, after: 998_006 });
    const found = shownPart(line, "needle");
    expect(found.text).toContain("Needle");
    expect(found.text.length).toBe(2000);
    expect(shownPart(`${"a".repeat(1500)}needle${"b".repeat(5000)}`, "needle").before).toBe(0);
    expect(shownPart("short", "needle")).toEqual({ text: "short", before: 0, after: 0 });
  });

  test("whatever is wanted, the part and what is around it make the line, and no character is halved", () => {
    const line = fc.array(fc.constantFrom("a", "🦜", "x"), { minLength: 1500, maxLength: 4000 });
    fc.assert(
      fc.property(line, fc.constantFrom("", "xxx", "🦜x🦜", "none"), (characters, wanted) => {
        const whole = characters.join("");
        const { text, before, after } = shownPart(whole, wanted);
        expect(whole.slice(before, whole.length - after)).toBe(text);
        expect(text).not.toMatch(/\p{Surrogate}/u);
        expect(text.length).toBeLessThanOrEqual(2001);
        if (whole.includes(wanted)) expect(text).toContain(wanted);
      }),
      { numRuns: 50 },
    );
  });
});
