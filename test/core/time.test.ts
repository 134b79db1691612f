import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wallTime } from "../../src/core/time.ts";

const DAY_MS = 86_400_000;
/** After 400 years everything comes again. */
const LAST_DAY = Math.floor(Date.UTC(2400, 11, 31) / DAY_MS);

describe("the text of a wall time", () => {
  test("is that of Date on every day for more than 400 years", () => {
    for (let day = 0; day <= LAST_DAY; day += 1) {
      // Another time on every day.
      const ms = day * DAY_MS + ((day * 7_919_017) % DAY_MS);
      if (wallTime(ms) !== new Date(ms).toISOString()) expect(wallTime(ms)).toBe(new Date(ms).toISOString());
    }
    expect(LAST_DAY).toBeGreaterThan(400 * 365);
  });

  test("is that of Date at any time, also before 1970 and after the year 9999", () => {
    fc.assert(
      fc.property(fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true }), (ms) => {
        expect(wallTime(ms)).toBe(new Date(Math.round(ms)).toISOString());
      }),
    );
  });

  test.each([
    [0, "1970-01-01T00:00:00.000Z"],
    [951_782_399_999, "2000-02-28T23:59:59.999Z"],
    [951_782_400_000, "2000-02-29T00:00:00.000Z"],
    [4_107_542_400_000, "2100-03-01T00:00:00.000Z"],
    [253_402_300_799_999, "9999-12-31T23:59:59.999Z"],
    [253_402_300_799_999.6, "+010000-01-01T00:00:00.000Z"],
    [-0.4, "1970-01-01T00:00:00.000Z"],
    [Number.POSITIVE_INFINITY, "+275760-09-13T00:00:00.000Z"],
  ])("of %d is %s", (ms, text) => {
    expect(wallTime(ms)).toBe(text);
  });
});
