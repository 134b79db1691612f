import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256Hex } from "../../../src/platform/files/digest.ts";

const known = (text: string) => createHash("sha256").update(text).digest("hex");

test("the digest is the standard's, whatever the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => sha256Hex(text) === known(text)),
    {
      numRuns: 2000,
    },
  );
});

test.each([0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 1000, 16_384, 16_385, 100_000])("a text of %i letters", (length) => {
  expect(sha256Hex("x".repeat(length))).toBe(known("x".repeat(length)));
  expect(sha256Hex("é".repeat(length))).toBe(known("é".repeat(length)));
});
