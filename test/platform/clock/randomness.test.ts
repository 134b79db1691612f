import { expect, test } from "vitest";
import { createRandomness } from "../../../src/platform/clock/randomness.ts";

const ids = Array.from({ length: 2000 }, () => createRandomness().id());

test("every id is 25 small letters and digits", () => {
  expect(ids.filter((id) => !/^[0-9a-z]{25}$/.test(id))).toEqual([]);
});

test("ids do not repeat", () => {
  expect(new Set(ids).size).toBe(ids.length);
});

test("each place of an id varies", () => {
  const places = Array.from({ length: 25 }, (_, place) => new Set(ids.map((id) => id[place])).size);
  // The first digit of 128 bits in base 36 has only a few values.
  expect(places.slice(1).every((count) => count === 36)).toBe(true);
});
