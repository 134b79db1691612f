/** Where on the canvas things are, and what is at a point. Pure. */
import type { Lane, Timeline, TimelineItem, TimelineMark, TurnBar } from "./timeline-items.ts";
import type { TimeSpan } from "./timeline-window.ts";

/** The canvas, in CSS pixels: the axis on top, the names on the left, below and beside them the lanes. */
export interface TimelineBox extends TimeSpan {
  readonly widthPx: number;
  readonly heightPx: number;
  /** How far the lanes are scrolled. */
  readonly topPx: number;
  readonly nowMs: number;
}

export const AXIS_PX = 28;
export const LANE_PX = 44;
/** In its lane. */
export const BAR_TOP_PX = 7;
export const BAR_PX = 17;
export const MARK_PX = 33;
/** A short turn can be seen and pointed at, too. */
export const SHORTEST_BAR_PX = 3;

const NAMES_PX = 148;
const NAMES_SHARE = 0.27;
const REACH_PX = 8;

export function namesWidth({ widthPx }: Pick<TimelineBox, "widthPx">): number {
  return Math.round(Math.min(NAMES_PX, widthPx * NAMES_SHARE));
}

export function xOf(box: TimelineBox, atMs: number): number {
  const left = namesWidth(box);
  return left + ((atMs - box.fromMs) / (box.toMs - box.fromMs)) * (box.widthPx - left);
}

export function timeAt(box: TimelineBox, x: number): number {
  const left = namesWidth(box);
  return box.fromMs + ((x - left) / (box.widthPx - left)) * (box.toMs - box.fromMs);
}

export function laneTop(box: Pick<TimelineBox, "topPx">, lane: number): number {
  return AXIS_PX + lane * LANE_PX - box.topPx;
}

export function lanesHeight(lanes: number): number {
  return AXIS_PX + lanes * LANE_PX;
}

/** From the first index to before the second. */
type Range = readonly [first: number, end: number];

export function lanesInSight({ topPx, heightPx }: TimelineBox, lanes: number): Range {
  const first = Math.max(0, Math.floor(topPx / LANE_PX));
  return [first, Math.min(lanes, Math.ceil((topPx + heightPx - AXIS_PX) / LANE_PX))];
}

/** The bars of a lane that may be in the span. The first of them that ends in it, to the last that begins in it. */
export function barsInSight({ bars, latestEnds }: Lane, { fromMs, toMs }: TimeSpan): Range {
  const first = firstIndex(latestEnds.length, (index) => (latestEnds[index] ?? 0) >= fromMs);
  return [first, firstIndex(bars.length, (index) => (bars[index]?.atMs ?? 0) > toMs)];
}

/** Of things in the order of their times. */
export function inSight(sorted: readonly { readonly atMs: number }[], { fromMs, toMs }: TimeSpan): Range {
  const first = firstIndex(sorted.length, (index) => (sorted[index]?.atMs ?? 0) >= fromMs);
  return [first, firstIndex(sorted.length, (index) => (sorted[index]?.atMs ?? 0) > toMs)];
}

/** The first index for which it holds, if it holds for all after that one, too; `count` if for none. */
function firstIndex(count: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export interface BarPlace {
  readonly x: number;
  readonly width: number;
}

/** Within the canvas. */
export function barPlace(box: TimelineBox, { atMs, toMs }: Pick<TurnBar, "atMs" | "toMs">): BarPlace {
  const left = namesWidth(box);
  const from = Math.max(left, xOf(box, atMs));
  const to = Math.min(box.widthPx, xOf(box, toMs ?? Math.max(box.nowMs, atMs)));
  return { x: from, width: Math.max(SHORTEST_BAR_PX, to - from) };
}

/** What a person points at: in the row of the bars a bar, in the row of the marks the nearest mark, else the other. */
export function hitAt(timeline: Timeline, box: TimelineBox, x: number, y: number): TimelineItem | null {
  if (y < AXIS_PX || x < namesWidth(box) - REACH_PX) return null;
  const lane = timeline.lanes[Math.floor((y - AXIS_PX + box.topPx) / LANE_PX)];
  if (lane === undefined) return null;
  const isAtBars = (y - AXIS_PX + box.topPx) % LANE_PX < BAR_TOP_PX + BAR_PX;
  const bar = barAt(lane, box, x);
  return isAtBars ? (bar ?? markAt(lane, box, x)) : (markAt(lane, box, x) ?? bar);
}

function barAt(lane: Lane, box: TimelineBox, x: number): TurnBar | null {
  const reach = { fromMs: timeAt(box, x - REACH_PX), toMs: timeAt(box, x + REACH_PX) };
  const [first, end] = barsInSight(lane, reach);
  let nearest: TurnBar | null = null;
  let distance = REACH_PX;
  for (const bar of lane.bars.slice(first, end)) {
    const { x: from, width } = barPlace(box, bar);
    const away = Math.max(0, from - x, x - from - width);
    if (away > distance) continue;
    [nearest, distance] = [bar, away];
  }
  return nearest;
}

/** Messages are many and small: any other mark within reach comes before them. */
function markAt(lane: Lane, box: TimelineBox, x: number): TimelineMark | null {
  const reach = { fromMs: timeAt(box, x - REACH_PX), toMs: timeAt(box, x + REACH_PX) };
  const [first, end] = inSight(lane.marks, reach);
  let nearest: TimelineMark | null = null;
  let distance = Number.POSITIVE_INFINITY;
  for (const mark of lane.marks.slice(first, end)) {
    const away = Math.abs(xOf(box, mark.atMs) - x) + (mark.kind === "message" ? REACH_PX : 0);
    if (away > distance) continue;
    [nearest, distance] = [mark, away];
  }
  return nearest;
}
