import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LinesFromEnd, type LinesOptions } from "../../../src/platform/files/lines-from-end.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const WHOLE: LinesOptions = { maxLineBytes: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };

function linesOf(content: string, options: LinesOptions = WHOLE) {
  const path = join(temporaryDirectory(), "file");
  writeFileSync(path, content);
  const file = new LinesFromEnd(path, options);
  try {
    const lines = Array.from(file.lines(), (line) => line && line.toString("utf8"));
    return { lines, reachedStart: file.reachedStart };
  } finally {
    file.close();
  }
}

/** Lines around the size of the pieces that a file is read in. */
const line = fc.oneof(
  fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", " ")),
  fc.integer({ min: 65_530, max: 65_545 }).map((length) => "é".repeat(length / 2)),
  fc.integer({ min: 131_060, max: 131_080 }).map((length) => "x".repeat(length)),
);

test("all lines come, last one first, wherever the pieces of the file end", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.boolean(), (lines, ended) => {
      const { lines: found, reachedStart } = linesOf(lines.join("\n") + (ended ? "\n" : ""));
      expect(found).toEqual(lines.filter((text) => text !== "").toReversed());
      expect(reachedStart).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test("a line that is too long is null, and the others come", () => {
  const long = "x".repeat(200_000);
  expect(linesOf(`a\n${long}\nb\n`, { ...WHOLE, maxLineBytes: 1000 }).lines).toEqual(["b", null, "a"]);
});

test("only as much is read as was allowed", () => {
  const content = `${"x".repeat(99)}\n`.repeat(10_000);
  const { lines, reachedStart } = linesOf(content, { ...WHOLE, maxBytes: 100_000 });
  expect(lines.length).toBeLessThan(1400);
  expect(reachedStart).toBe(false);
});

test("a file that becomes shorter while it is read is no longer the same file", () => {
  const path = join(temporaryDirectory(), "file");
  writeFileSync(path, `${"x".repeat(99)}\n`.repeat(10_000));
  const file = new LinesFromEnd(path, WHOLE);
  const lines = file.lines();
  lines.next();
  truncateSync(path, 10);
  expect(() => [...lines]).toThrow(expect.objectContaining({ code: "ESHRUNK" }) as Error);
  file.close();
});
