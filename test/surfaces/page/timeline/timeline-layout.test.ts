/** Where things are on the canvas, and what a person points at. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { timelineOf } from "../../../../src/surfaces/page/views/timeline/timeline-items.ts";
import {
  AXIS_PX,
  BAR_TOP_PX,
  barPlace,
  barsInSight,
  hitAt,
  inSight,
  LANE_PX,
  lanesHeight,
  lanesInSight,
  laneTop,
  MARK_PX,
  namesWidth,
  SHORTEST_BAR_PX,
  type TimelineBox,
  timeAt,
  xOf,
} from "../../../../src/surfaces/page/views/timeline/timeline-layout.ts";
import { checked, claimed, NOON_MS, released, said, told } from "../told-log.ts";

const MINUTE_MS = 60_000;

function boxOf(changes: Partial<TimelineBox> = {}): TimelineBox {
  const [fromMs, toMs] = [NOON_MS, NOON_MS + 100 * MINUTE_MS];
  return { fromMs, toMs, nowMs: toMs, widthPx: 1000, heightPx: 600, topPx: 0, ...changes };
}

const at = (minute: number) => NOON_MS + minute * MINUTE_MS;

const anyBox = fc
  .record({
    fromMs: fc.integer({ min: 0, max: 4e12 }),
    spanMs: fc.integer({ min: 50, max: 4e12 }),
    widthPx: fc.integer({ min: 60, max: 4000 }),
  })
  .map(({ fromMs, spanMs, widthPx }) => boxOf({ fromMs, toMs: fromMs + spanMs, nowMs: fromMs + spanMs, widthPx }));

describe("times and places", () => {
  test("the time at the place of a time is that time, within the width of a pixel", () => {
    fc.assert(
      fc.property(anyBox, fc.double({ min: 0, max: 1, noNaN: true }), (box, share) => {
        const atMs = box.fromMs + share * (box.toMs - box.fromMs);
        const perPixel = (box.toMs - box.fromMs) / (box.widthPx - namesWidth(box));
        expect(Math.abs(timeAt(box, xOf(box, atMs)) - atMs)).toBeLessThanOrEqual(perPixel);
        expect(xOf(box, atMs)).toBeGreaterThanOrEqual(namesWidth(box));
        expect(xOf(box, atMs)).toBeLessThanOrEqual(box.widthPx);
      }),
    );
  });

  test("names leave most of a narrow canvas to the lanes", () => {
    expect([namesWidth({ widthPx: 360 }), namesWidth({ widthPx: 1440 })]).toEqual([97, 148]);
  });

  test("a bar stays within the canvas, can be seen however short it is, and goes up to now if it goes on", () => {
    const whole = boxOf();
    expect(barPlace(whole, { atMs: at(-50), toMs: at(150) })).toEqual({ x: 148, width: 852 });
    expect(barPlace(whole, { atMs: at(50), toMs: at(50) })).toEqual({ x: 574, width: SHORTEST_BAR_PX });
    const earlier = boxOf({ nowMs: at(75) });
    expect(barPlace(earlier, { atMs: at(50), toMs: null })).toEqual({ x: 574, width: 213 });
  });

  test("a turn that goes on although now is before its beginning has its shortest width", () => {
    const box = boxOf({ nowMs: NOON_MS });
    expect(barPlace(box, { atMs: NOON_MS + 50 * MINUTE_MS, toMs: null }).width).toBe(SHORTEST_BAR_PX);
  });
});

describe("what is in sight", () => {
  test("lanes: those of which a part is between the axis and the end of the canvas", () => {
    const heightPx = AXIS_PX + 3 * LANE_PX;
    expect(lanesInSight(boxOf({ heightPx }), 10)).toEqual([0, 3]);
    expect(lanesInSight(boxOf({ heightPx, topPx: 10 }), 10)).toEqual([0, 4]);
    expect(lanesInSight(boxOf({ heightPx, topPx: 7 * LANE_PX }), 10)).toEqual([7, 10]);
    expect(lanesInSight(boxOf({ heightPx }), 2)).toEqual([0, 2]);
    expect(laneTop({ topPx: 10 }, 1) + LANE_PX).toBe(lanesHeight(2) - 10);
  });

  test("marks and bars: the same as by looking at each of them", () => {
    const turn = fc.record({ minute: fc.nat(100), length: fc.nat(60) });
    const window = fc.record({ fromMinute: fc.nat(120), lengthMinutes: fc.nat(60) });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 30 }), window, (turns, { fromMinute, lengthMinutes }) => {
        const events = turns
          .toSorted((one, other) => one.minute - other.minute)
          .flatMap(({ minute, length }, index) => [claimed(minute, index + 1), released(minute + length, index + 1)]);
        const timeline = timelineOf(told(events));
        const [lane] = timeline.lanes;
        if (lane === undefined) return;
        const fromMs = NOON_MS + fromMinute * MINUTE_MS;
        const span = { fromMs, toMs: fromMs + lengthMinutes * MINUTE_MS };
        const [first, end] = barsInSight(lane, span);
        const found = lane.bars.slice(first, end);
        for (const bar of lane.bars) {
          const isSeen = bar.atMs <= span.toMs && (bar.toMs ?? Number.POSITIVE_INFINITY) >= span.fromMs;
          if (isSeen) expect(found).toContain(bar);
        }
        const [firstItem, endItem] = inSight(timeline.items, span);
        expect(timeline.items.slice(firstItem, endItem)).toEqual(
          timeline.items.filter(({ atMs }) => atMs >= span.fromMs && atMs <= span.toMs),
        );
      }),
    );
  });
});

describe("pointing", () => {
  const timeline = timelineOf(
    told([claimed(10, 1), said(50, "hello"), checked(50.5, 1), released(60, 1), said(90, "x")]),
  );
  const box = boxOf();
  const x = (minute: number) => xOf(box, NOON_MS + minute * MINUTE_MS);
  const barY = AXIS_PX + BAR_TOP_PX + 2;
  const markY = AXIS_PX + MARK_PX;
  const hit = (minute: number, y: number) => hitAt(timeline, box, x(minute), y)?.kind ?? null;

  test("the row of the bars answers bars first, and the row of the marks marks", () => {
    expect([hit(40, barY), hit(40, markY), hit(90, barY), hit(90, markY)]).toEqual([
      "turn",
      "turn",
      "message",
      "message",
    ]);
  });

  test("another mark beside a message comes first, because messages are many", () => {
    expect([hit(50, markY), hit(50, barY)]).toEqual(["check", "turn"]);
  });

  test("there is nothing on the axis, on the names, beside everything and below the last lane", () => {
    expect([hit(40, 5), hit(80, markY), hit(40, AXIS_PX + LANE_PX + 5)]).toEqual([null, null, null]);
    expect(hitAt(timeline, box, 20, barY)).toBeNull();
  });

  test("lanes that are scrolled are found where they are drawn", () => {
    const events = Array.from({ length: 20 }, (_, index) => said(50, "hello", `agent:${index}`));
    const many = timelineOf(told(events));
    const scrolled = boxOf({ topPx: 5 * LANE_PX });
    const found = hitAt(many, scrolled, x(50), laneTop(scrolled, 7) + MARK_PX);
    expect(found?.agentId).toBe(many.lanes[7]?.agentId);
  });

  test("what a person points at is within reach of the pointer, wherever they point", () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(200), (px, py) => {
        const found = hitAt(timeline, box, px, py);
        if (found === null) return;
        const [from, width] = found.kind === "turn" ? Object.values(barPlace(box, found)) : [xOf(box, found.atMs), 0];
        expect(Math.max((from ?? 0) - px, px - (from ?? 0) - (width ?? 0))).toBeLessThanOrEqual(8.001);
      }),
    );
  });
});
