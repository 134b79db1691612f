/** What a key does on the focused canvas. Pure. */
import type { TimelineItem } from "./timeline-items.ts";
import { inSight } from "./timeline-layout.ts";
import { panned, spanOf, type TimeExtent, type TimeWindow, WHOLE, withInSight, zoomed } from "./timeline-window.ts";

interface KeyedTimeline {
  readonly window: TimeWindow;
  readonly extent: TimeExtent;
  /** In the order of their times. */
  readonly items: readonly TimelineItem[];
  readonly chosen: TimelineItem | null;
}

export interface KeyEffect {
  readonly window: TimeWindow;
  readonly chosen: TimelineItem | null;
  readonly opens: boolean;
}

const ZOOM = 1.5;
const PAN = 0.15;

/** Null: the key means nothing here. */
export function keyEffect(key: string, shown: KeyedTimeline): KeyEffect | null {
  const { window, extent, items, chosen } = shown;
  const span = spanOf(window, extent);
  const stays = { window, chosen, opens: false };
  const pan = (share: number) => ({ ...stays, window: panned(window, extent, share * (span.toMs - span.fromMs)) });
  const zoom = (factor: number) => ({ ...stays, window: zoomed(window, extent, factor, anchorOf(shown)) });
  const choose = (index: number) => {
    const item = items[index];
    return item === undefined ? stays : { ...stays, chosen: item, window: withInSight(window, extent, item.atMs) };
  };
  const at = chosen === null ? -1 : items.findIndex((item) => item.key === chosen.key);
  switch (key) {
    case "ArrowLeft":
      return pan(-PAN);
    case "ArrowRight":
      return pan(PAN);
    case "ArrowUp":
      return choose(at === -1 ? Math.max(0, inSight(items, span)[1] - 1) : at - 1);
    case "ArrowDown":
      return choose(at === -1 ? Math.min(items.length - 1, inSight(items, span)[0]) : at + 1);
    case "Home":
      return choose(0);
    case "End":
      return choose(items.length - 1);
    case "+":
    case "=":
      return zoom(1 / ZOOM);
    case "-":
      return zoom(ZOOM);
    case "0":
      return { ...stays, window: WHOLE };
    case "Enter":
      return chosen === null ? null : { ...stays, opens: true };
    case "Escape":
      return chosen === null ? null : { ...stays, chosen: null };
    default:
      return null;
  }
}

/** What stays in its place while the window is zoomed: the chosen item if it is in sight, else the present or the middle. */
export function anchorOf({ window, extent, chosen }: Omit<KeyedTimeline, "items">): number {
  const { fromMs, toMs } = spanOf(window, extent);
  const place = chosen === null ? Number.NaN : (chosen.atMs - fromMs) / (toMs - fromMs);
  if (place >= 0 && place <= 1) return place;
  return window.endMs === null ? 1 : 0.5;
}
