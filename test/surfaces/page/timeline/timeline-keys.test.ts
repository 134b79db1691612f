/** The keys of the timeline reach everything, and a person sees what they have reached. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type TimelineItem, timelineOf } from "../../../../src/surfaces/page/views/timeline/timeline-items.ts";
import { keyEffect } from "../../../../src/surfaces/page/views/timeline/timeline-keys.ts";
import { spanOf, type TimeWindow, WHOLE } from "../../../../src/surfaces/page/views/timeline/timeline-window.ts";
import { claimed, NOON_MS, released, said, told } from "../told-log.ts";

const MINUTE_MS = 60_000;
const { items } = timelineOf(
  told([claimed(0, 1), said(10, "a"), said(20, "b"), released(30, 1), claimed(40, 2), said(50, "c")]),
);
const extent = { firstMs: NOON_MS, nowMs: NOON_MS + 60 * MINUTE_MS };
/** From the 15th to the 25th minute. */
const NARROW: TimeWindow = { spanMs: 10 * MINUTE_MS, endMs: NOON_MS + 25 * MINUTE_MS };

interface Shown {
  readonly window: TimeWindow;
  readonly chosen: TimelineItem | null;
}

function press(keys: string, from: Shown): Shown {
  return keys.split(" ").reduce((shown, key) => keyEffect(key, { ...shown, extent, items }) ?? shown, from);
}

const indexOf = ({ chosen }: Shown) => items.findIndex((item) => item === chosen);

describe("choosing", () => {
  test("begins with what is in sight", () => {
    expect(indexOf(press("ArrowDown", { window: NARROW, chosen: null }))).toBe(2);
    expect(indexOf(press("ArrowUp", { window: NARROW, chosen: null }))).toBe(2);
    expect(indexOf(press("ArrowUp", { window: WHOLE, chosen: null }))).toBe(items.length - 1);
  });

  test("begins with what is nearest if nothing is in sight", () => {
    const atEnd: TimeWindow = { spanMs: MINUTE_MS, endMs: null };
    expect(indexOf(press("ArrowDown", { window: atEnd, chosen: null }))).toBe(items.length - 1);
    expect(indexOf(press("ArrowUp", { window: atEnd, chosen: null }))).toBe(items.length - 1);
  });

  test("moves in the order of time, and stays at the ends", () => {
    const start: Shown = { window: WHOLE, chosen: null };
    expect(indexOf(press("Home", start))).toBe(0);
    expect(indexOf(press("Home ArrowUp", start))).toBe(0);
    expect(indexOf(press("Home ArrowDown ArrowDown ArrowUp", start))).toBe(1);
    expect(indexOf(press("End ArrowDown", start))).toBe(items.length - 1);
  });

  test("Enter opens what is chosen, Escape chooses nothing", () => {
    const chosen = press("Home", { window: WHOLE, chosen: null });
    expect(keyEffect("Enter", { ...chosen, extent, items })?.opens).toBe(true);
    expect(press("Escape", chosen).chosen).toBeNull();
    for (const key of ["Enter", "Escape"]) {
      expect(keyEffect(key, { window: WHOLE, chosen: null, extent, items })).toBeNull();
    }
  });

  test("an item that is gone from the log counts as none", () => {
    const gone = { ...(items[0] as TimelineItem), key: "turn:99" };
    expect(indexOf(press("ArrowDown", { window: NARROW, chosen: gone }))).toBe(2);
  });
});

describe("the window", () => {
  test("arrows move it, plus and minus zoom it, 0 shows all", () => {
    const start: Shown = { window: NARROW, chosen: null };
    const span = (keys: string) => spanOf(press(keys, start).window, extent);
    const before = spanOf(NARROW, extent);
    expect(span("ArrowLeft").fromMs).toBeLessThan(before.fromMs);
    expect(span("ArrowRight").fromMs).toBeGreaterThan(before.fromMs);
    expect(span("+").toMs - span("+").fromMs).toBeLessThan(10 * MINUTE_MS);
    expect(span("=")).toEqual(span("+"));
    expect(span("-").toMs - span("-").fromMs).toBeGreaterThan(10 * MINUTE_MS);
    expect(press("0", start).window).toEqual(WHOLE);
  });

  test("zooming keeps what is chosen in its place", () => {
    const chosen = items[2] as TimelineItem;
    const place = ({ window }: Shown) => {
      const { fromMs, toMs } = spanOf(window, extent);
      return (chosen.atMs - fromMs) / (toMs - fromMs);
    };
    const start: Shown = { window: { spanMs: 10 * MINUTE_MS, endMs: NOON_MS + 22 * MINUTE_MS }, chosen };
    expect(place(start)).toBeCloseTo(0.8, 6);
    expect(place(press("+ + + +", start))).toBeCloseTo(place(start), 6);
  });

  test("other keys are left to the browser", () => {
    for (const key of ["Tab", "PageDown", "a", " "]) {
      expect(keyEffect(key, { window: WHOLE, chosen: null, extent, items })).toBeNull();
    }
  });
});

test("after any keys, what was just chosen is in sight", () => {
  const key = fc.constantFrom("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "+", "-", "0");
  const choosing = fc.constantFrom("ArrowUp", "ArrowDown", "Home", "End");
  fc.assert(
    fc.property(fc.array(key, { maxLength: 40 }), choosing, (keys, last) => {
      const { window, chosen } = press([...keys, last].join(" "), { window: WHOLE, chosen: null });
      const { fromMs, toMs } = spanOf(window, extent);
      expect(chosen).not.toBeNull();
      const { atMs } = chosen as TimelineItem;
      // An item at the end stays chosen although the window was moved away from it.
      const before = press(keys.join(" "), { window: WHOLE, chosen: null });
      if (before.chosen === chosen && last.startsWith("Arrow")) return;
      expect(atMs >= fromMs - 1 && atMs <= toMs + 1).toBe(true);
    }),
  );
});
