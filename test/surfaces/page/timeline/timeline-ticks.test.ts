/** The ticks of the axis are full moments of the user's clock, whatever its time zone does. */
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { clockOf } from "../../../../src/core/time.ts";
import { ticksIn } from "../../../../src/surfaces/page/views/timeline/timeline-ticks.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../../src/surfaces/page/views/timeline/timeline-window.ts";

const ZONE = process.env["TZ"];
// The last of them once left a day out, the one before moves its clock by half an hour, the third at midnight.
const ZONES = ["UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia"];

function inZone(zone: string): void {
  process.env["TZ"] = zone;
}

afterEach(() => {
  if (ZONE === undefined) delete process.env["TZ"];
  else process.env["TZ"] = ZONE;
});

function labels(fromMs: number, lengthMs: number, widthPx: number): readonly string[] {
  return ticksIn({ fromMs, toMs: fromMs + lengthMs }, widthPx).map(({ label }) => label);
}

describe("the labels", () => {
  test("are as fine as the window, from milliseconds to years", () => {
    inZone("UTC");
    const noonMs = Date.UTC(2026, 10, 19, 12);
    expect(labels(noonMs, 50, 600)).toEqual([
      "12:00:00.000",
      "12:00:00.010",
      "12:00:00.020",
      "12:00:00.030",
      "12:00:00.040",
      "12:00:00.050",
    ]);
    expect(labels(noonMs, 4000, 600)).toEqual(["12:00:00", "12:00:01", "12:00:02", "12:00:03", "12:00:04"]);
    expect(labels(noonMs, HOUR_MS, 500)).toEqual(["12:00", "12:15", "12:30", "12:45", "13:00"]);
    expect(labels(noonMs, 3 * DAY_MS, 400)).toEqual(["Fri 20 Nov", "Sat 21 Nov", "Sun 22 Nov"]);
    expect(labels(noonMs, 150 * DAY_MS, 700)).toEqual(["Dec 2026", "Jan 2027", "Feb 2027", "Mar 2027", "Apr 2027"]);
    expect(labels(noonMs, 10 * 365 * DAY_MS, 500)).toEqual(["2028", "2030", "2032", "2034", "2036"]);
  });

  test("name the day where one begins", () => {
    inZone("UTC");
    expect(labels(Date.UTC(2026, 10, 19, 22), 4 * HOUR_MS, 500)).toEqual([
      "22:00",
      "23:00",
      "Fri 20 Nov",
      "01:00",
      "02:00",
    ]);
  });
});

describe("in each time zone", () => {
  test.each(ZONES)("%s: ticks are in the window, in their order, as many as fit, and full moments", (zone) => {
    inZone(zone);
    const anyWindow = fc.record({
      fromMs: fc.integer({ min: Date.UTC(2010, 0, 1), max: Date.UTC(2030, 0, 1) }),
      power: fc.double({ min: Math.log(50), max: Math.log(40 * 365 * DAY_MS), noNaN: true }),
      widthPx: fc.integer({ min: 100, max: 3000 }),
    });
    fc.assert(
      fc.property(anyWindow, ({ fromMs, power, widthPx }) => {
        const toMs = fromMs + Math.ceil(Math.exp(power));
        const ticks = ticksIn({ fromMs, toMs }, widthPx);
        const times = ticks.map(({ atMs }) => atMs);
        expect(times).toEqual([...new Set(times)].toSorted((one, other) => one - other));
        // Where a clock was moved, one more may come in.
        expect(ticks.length).toBeLessThanOrEqual(widthPx / 92 + 2);
        for (const { atMs, isDay } of ticks) {
          expect(atMs).toBeGreaterThanOrEqual(fromMs);
          expect(atMs).toBeLessThanOrEqual(toMs);
          // A day begins where the moment before is of another day.
          expect(clockOf(atMs - 1).day !== clockOf(atMs).day).toBe(isDay);
        }
        const finest = toMs - fromMs < MINUTE_MS ? 5 : 30 * 1000;
        for (const { atMs } of ticks) if (toMs - fromMs > HOUR_MS) expect(atMs % finest).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  test("a day without its midnight begins where its clock begins", () => {
    inZone("America/Sao_Paulo");
    // On 4 November 2018 the clock went from 23:59:59 to 01:00:00.
    const ticks = ticksIn({ fromMs: Date.UTC(2018, 10, 3, 3), toMs: Date.UTC(2018, 10, 6, 3) }, 400);
    expect(ticks.map(({ atMs, label }) => [label, clockOf(atMs).time])).toEqual([
      ["Sat 3 Nov", "00:00:00"],
      ["Sun 4 Nov", "01:00:00"],
      ["Mon 5 Nov", "00:00:00"],
      ["Tue 6 Nov", "00:00:00"],
    ]);
  });

  test("a window beyond all calendars has no ticks", () => {
    expect(ticksIn({ fromMs: 9e15, toMs: 9e15 + DAY_MS }, 500)).toEqual([]);
  });
});
