/**
 * A search through the log in small pieces, the newest events first, so that no piece blocks the page. What was looked at
 * once is not looked at again: events are only added, and an event with the same number is the same event. Pure.
 */
import type { RoomEvent } from "../../../../core/event.ts";
import type { EventTest } from "./log-filter.ts";

export interface LogSearch {
  /** In their order. */
  readonly found: readonly RoomEvent[];
  /** The numbers of the events that were looked at, without a gap; null before the first. */
  readonly looked: Span | null;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

export const NEW_SEARCH: LogSearch = { found: [], looked: null };

/** How many of the events were not looked at yet. */
export function leftToLook({ looked }: LogSearch, events: readonly RoomEvent[]): number {
  if (looked === null) return events.length;
  return indexAfter(events, looked.from - 1) + events.length - indexAfter(events, looked.to);
}

/** What of the search still stands, now that the log has these events: the page lets old ones go, and a slider goes back. */
export function within(search: LogSearch, events: readonly RoomEvent[]): LogSearch {
  const { looked, found } = search;
  const [first, last] = [events[0]?.seq, events.at(-1)?.seq];
  if (looked === null) return search;
  if (first === undefined || last === undefined || looked.from > last || looked.to < first) return NEW_SEARCH;
  if (looked.from >= first && looked.to <= last) return search;
  const [from, to] = [Math.max(looked.from, first), Math.min(looked.to, last)];
  return { looked: { from, to }, found: found.filter(({ seq }) => seq >= from && seq <= to) };
}

/** Looks at more events until `isEnough` says so, which is asked after every few of them. */
export function searchedOn(
  search: LogSearch,
  events: readonly RoomEvent[],
  test: EventTest,
  isEnough: () => boolean,
): LogSearch {
  const last = events.at(-1)?.seq;
  if (last === undefined) return search;
  const looked = search.looked ?? { from: last + 1, to: last };
  const newer: RoomEvent[] = [];
  const older: RoomEvent[] = [];
  const step = stepper(events, test, isEnough);
  const to = step(indexAfter(events, looked.to), 1, newer) ?? looked.to;
  const from = step(indexAfter(events, looked.from - 1) - 1, -1, older) ?? looked.from;
  if (from > to) return search;
  return { looked: { from, to }, found: [...older.toReversed(), ...search.found, ...newer] };
}

const PIECE = 64;

/** Goes through the events from an index on; returns the number of the last one that was looked at, if there is one. */
function stepper(events: readonly RoomEvent[], test: EventTest, isEnough: () => boolean) {
  let done = 0;
  return (start: number, by: 1 | -1, found: RoomEvent[]): number | null => {
    let last: number | null = null;
    for (let at = start; at >= 0 && at < events.length; at += by) {
      if (done > 0 && done % PIECE === 0 && isEnough()) break;
      const event = events[at] as RoomEvent;
      if (test(event)) found.push(event);
      last = event.seq;
      done += 1;
    }
    return last;
  };
}

/** How many events have this number or a smaller one. */
export function indexAfter(events: readonly RoomEvent[], seq: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle] as RoomEvent).seq <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
