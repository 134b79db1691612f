/**
 * Which span of time the timeline shows. It follows the present until the person moves it away; moved back to the present,
 * it follows again. Pure.
 */
export interface TimeWindow {
  /** Null: all that there is. */
  readonly spanMs: number | null;
  /** Where it ends; null: it follows the present. */
  readonly endMs: number | null;
}

/** From the first event to the present. */
export interface TimeExtent {
  readonly firstMs: number;
  readonly nowMs: number;
}

export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const WHOLE: TimeWindow = { spanMs: null, endMs: null };

/** Moments of the log are known to the millisecond. */
const SHORTEST_MS = 50;
/** The present is not at the very edge. */
const EDGE = 0.03;
/** How much of the window stays with events, however far it is moved. */
const KEPT_IN_SIGHT = 0.1;

export function spanOf({ spanMs, endMs }: TimeWindow, extent: TimeExtent): TimeSpan {
  const span = spanMs ?? wholeSpan(extent);
  const toMs = endMs ?? extent.nowMs + span * EDGE;
  return { fromMs: toMs - span, toMs };
}

function wholeSpan({ firstMs, nowMs }: TimeExtent): number {
  return Math.max(MINUTE_MS, (nowMs - firstMs) * (1 + 2 * EDGE));
}

/** `factor` below 1 shows less, larger. The moment at `anchor`, from 0 at the left to 1 at the right, stays in its place. */
export function zoomed(window: TimeWindow, extent: TimeExtent, factor: number, anchor = 1): TimeWindow {
  const { fromMs, toMs } = spanOf(window, extent);
  const longest = Math.max(DAY_MS, wholeSpan(extent) * 1.5);
  const spanMs = Math.min(longest, Math.max(SHORTEST_MS, (toMs - fromMs) * factor));
  if (window.endMs === null && anchor === 1) return { spanMs, endMs: null };
  const anchorMs = fromMs + (toMs - fromMs) * anchor;
  return placed(anchorMs + spanMs * (1 - anchor), spanMs, extent);
}

export function panned(window: TimeWindow, extent: TimeExtent, byMs: number): TimeWindow {
  const { fromMs, toMs } = spanOf(window, extent);
  return placed(toMs + byMs, toMs - fromMs, extent);
}

/** Moved no more than it must be for that moment to be in sight. */
export function withInSight(window: TimeWindow, extent: TimeExtent, atMs: number): TimeWindow {
  const { fromMs, toMs } = spanOf(window, extent);
  if (atMs >= fromMs && atMs <= toMs) return window;
  return placed(atMs + (toMs - fromMs) / 2, toMs - fromMs, extent);
}

function placed(endMs: number, spanMs: number, { firstMs, nowMs }: TimeExtent): TimeWindow {
  if (endMs >= nowMs + spanMs * EDGE) return { spanMs, endMs: null };
  return { spanMs, endMs: Math.max(endMs, firstMs + spanMs * KEPT_IN_SIGHT) };
}
