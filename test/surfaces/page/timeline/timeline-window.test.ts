/** The window of the timeline: whatever a person does, it shows a part of the room's time. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  panned,
  spanOf,
  type TimeExtent,
  type TimeWindow,
  WHOLE,
  withInSight,
  zoomed,
} from "../../../../src/surfaces/page/views/timeline/timeline-window.ts";

const NOW_MS = Date.UTC(2026, 10, 19, 12);
const TEN_HOURS: TimeExtent = { firstMs: NOW_MS - 10 * HOUR_MS, nowMs: NOW_MS };

describe("what the window shows", () => {
  test("all of it: from before the first event to after the present", () => {
    const { fromMs, toMs } = spanOf(WHOLE, TEN_HOURS);
    expect(fromMs).toBeLessThan(TEN_HOURS.firstMs);
    expect(toMs).toBeGreaterThan(NOW_MS);
    expect(toMs - fromMs).toBeLessThan(11 * HOUR_MS);
  });

  test("at least a minute, also of a room in which all happened in one moment", () => {
    const { fromMs, toMs } = spanOf(WHOLE, { firstMs: NOW_MS, nowMs: NOW_MS });
    expect(toMs - fromMs).toBe(MINUTE_MS);
    expect(fromMs).toBeLessThan(NOW_MS);
    expect(toMs).toBeGreaterThan(NOW_MS);
  });

  test("a window that follows the present moves with it, another one stays", () => {
    const later = { ...TEN_HOURS, nowMs: NOW_MS + HOUR_MS };
    const following: TimeWindow = { spanMs: HOUR_MS, endMs: null };
    const fixed: TimeWindow = { spanMs: HOUR_MS, endMs: NOW_MS };
    expect(spanOf(following, later).toMs - spanOf(following, TEN_HOURS).toMs).toBe(HOUR_MS);
    expect(spanOf(fixed, later)).toEqual(spanOf(fixed, TEN_HOURS));
  });
});

describe("moving it", () => {
  test("it follows the present until it is moved away, and again once it is moved back", () => {
    const away = panned({ spanMs: HOUR_MS, endMs: null }, TEN_HOURS, -2 * HOUR_MS);
    expect(away.endMs).not.toBeNull();
    expect(panned(away, TEN_HOURS, HOUR_MS).endMs).not.toBeNull();
    expect(panned(away, TEN_HOURS, 3 * HOUR_MS)).toEqual({ spanMs: HOUR_MS, endMs: null });
  });

  test("a moment that is in sight moves nothing, and another one comes to the middle", () => {
    const window: TimeWindow = { spanMs: HOUR_MS, endMs: NOW_MS - HOUR_MS };
    expect(withInSight(window, TEN_HOURS, NOW_MS - 1.5 * HOUR_MS)).toBe(window);
    const atMs = NOW_MS - 5 * HOUR_MS;
    const { fromMs, toMs } = spanOf(withInSight(window, TEN_HOURS, atMs), TEN_HOURS);
    expect((fromMs + toMs) / 2).toBe(atMs);
  });

  test("zooming at the present keeps following it", () => {
    expect(zoomed({ spanMs: HOUR_MS, endMs: null }, TEN_HOURS, 0.5)).toEqual({ spanMs: HOUR_MS / 2, endMs: null });
  });
});

describe("any room and any moves", () => {
  // From events within a millisecond to events of thirty years, some of them in the future.
  const anyExtent = fc
    .record({ firstMs: fc.integer({ min: 0, max: NOW_MS }), lengthMs: fc.integer({ min: 0, max: 30 * 365 * DAY_MS }) })
    .map(({ firstMs, lengthMs }) => ({ firstMs, nowMs: firstMs + lengthMs }));
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const move = fc.oneof(
    fc.record({ do: fc.constant("zoom" as const), factor: fc.double({ min: 0.01, max: 100, noNaN: true }), at: share }),
    fc.record({ do: fc.constant("pan" as const), by: fc.double({ min: -3, max: 3, noNaN: true }) }),
    fc.record({ do: fc.constant("show" as const), at: share }),
  );
  type Move = typeof move extends fc.Arbitrary<infer One> ? One : never;

  function moved(window: TimeWindow, extent: TimeExtent, one: Move): TimeWindow {
    const { fromMs, toMs } = spanOf(window, extent);
    if (one.do === "zoom") return zoomed(window, extent, one.factor, one.at);
    if (one.do === "pan") return panned(window, extent, one.by * (toMs - fromMs));
    return withInSight(window, extent, extent.firstMs + one.at * (extent.nowMs - extent.firstMs));
  }

  test("the window is never empty, never endless, and always has a part of the room's time in it", () => {
    fc.assert(
      fc.property(anyExtent, fc.array(move, { maxLength: 30 }), (extent, moves) => {
        let window = WHOLE;
        for (const one of moves) window = moved(window, extent, one);
        const { fromMs, toMs } = spanOf(window, extent);
        expect(toMs - fromMs).toBeGreaterThanOrEqual(50 - 1e-3);
        expect(toMs - fromMs).toBeLessThanOrEqual(1.001 * Math.max(DAY_MS, (extent.nowMs - extent.firstMs) * 1.6));
        expect(fromMs).toBeLessThanOrEqual(extent.nowMs);
        expect(toMs).toBeGreaterThanOrEqual(extent.firstMs);
      }),
    );
  });

  test("what a person wants in sight is in sight", () => {
    fc.assert(
      fc.property(anyExtent, fc.array(move, { maxLength: 10 }), share, (extent, moves, at) => {
        let window = WHOLE;
        for (const one of moves) window = moved(window, extent, one);
        const atMs = extent.firstMs + at * (extent.nowMs - extent.firstMs);
        const { fromMs, toMs } = spanOf(withInSight(window, extent, atMs), extent);
        expect(atMs).toBeGreaterThanOrEqual(fromMs - 1e-3);
        expect(atMs).toBeLessThanOrEqual(toMs + 1e-3);
      }),
    );
  });

  test("the moment under the pointer stays there while a person zooms, away from the ends", () => {
    fc.assert(
      fc.property(share, fc.double({ min: 0.5, max: 2, noNaN: true }), (at, factor) => {
        const window: TimeWindow = { spanMs: HOUR_MS, endMs: NOW_MS - 5 * HOUR_MS };
        const before = spanOf(window, TEN_HOURS);
        const after = spanOf(zoomed(window, TEN_HOURS, factor, at), TEN_HOURS);
        const momentAt = (span: typeof before) => span.fromMs + at * (span.toMs - span.fromMs);
        expect(Math.abs(momentAt(after) - momentAt(before))).toBeLessThan(1);
      }),
    );
  });
});
