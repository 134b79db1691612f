/** The ticks of the time axis: full minutes, hours or days of the user's clock, as many as there is room for. Pure. */
import { clockOf } from "../../../../core/time.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, type TimeSpan } from "./timeline-window.ts";

export interface TimeTick {
  readonly atMs: number;
  readonly label: string;
  /** Whether a day begins here. */
  readonly isDay: boolean;
}

const SECOND_MS = 1000;
const WITHIN_A_DAY = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
];
const DAYS = [1, 2, 7, 14, 28, 91, 182, 364, 1820, 3640, 36_400];
/** A label and some space. */
const TICK_PX = 92;

export function ticksIn(span: TimeSpan, widthPx: number): readonly TimeTick[] {
  const length = span.toMs - span.fromMs;
  const most = Math.max(1, Math.floor(widthPx / TICK_PX));
  const step = WITHIN_A_DAY.find((stepMs) => length / stepMs <= most);
  if (step !== undefined) return ticksOfClock(span, step);
  return ticksOfDays(span, DAYS.find((days) => length / (days * DAY_MS) <= most) ?? 36_400);
}

function ticksOfClock({ fromMs, toMs }: TimeSpan, stepMs: number): readonly TimeTick[] {
  const ticks: TimeTick[] = [];
  let day = midnightOf(fromMs);
  while (day <= toMs) {
    // Each day has its own beginning: some are an hour shorter or longer.
    const next = midnightOf(day + 1.5 * DAY_MS);
    const first = day + Math.max(0, Math.ceil((fromMs - day) / stepMs)) * stepMs;
    for (let atMs = first; atMs < next && atMs <= toMs; atMs += stepMs) {
      const { time } = clockOf(atMs);
      const isDay = atMs === day;
      ticks.push({ atMs, isDay, label: isDay ? dayLabel(atMs) : time.slice(0, stepMs < MINUTE_MS ? 8 : 5) });
    }
    day = next;
  }
  return ticks;
}

function ticksOfDays({ fromMs, toMs }: TimeSpan, days: number): readonly TimeTick[] {
  const ticks: TimeTick[] = [];
  const today = midnightOf(fromMs);
  // Days are numbered, so that the ticks stay where they are while the window moves.
  let atMs = midnightOf(today - (Math.round(today / DAY_MS) % days) * DAY_MS + DAY_MS / 2);
  while (atMs <= toMs) {
    const label = days < 28 ? dayLabel(atMs) : clockOf(atMs).day.replace(/^\w+ /, "");
    if (atMs >= fromMs) ticks.push({ atMs, isDay: true, label });
    atMs = midnightOf(atMs + (days + 0.5) * DAY_MS);
  }
  return ticks;
}

function dayLabel(atMs: number): string {
  return clockOf(atMs).day.replace(/ \d+$/, "");
}

/** The beginning of its day, by the user's clock. */
function midnightOf(atMs: number): number {
  const guess = atMs - msOfDay(atMs);
  // A day on which the clock is changed is longer or shorter.
  const off = msOfDay(guess);
  return off > DAY_MS / 2 ? guess + DAY_MS - off : guess - off;
}

function msOfDay(atMs: number): number {
  const [hours = 0, minutes = 0, seconds = 0] = clockOf(atMs).time.split(":").map(Number);
  const ms = ((atMs % SECOND_MS) + SECOND_MS) % SECOND_MS;
  return hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS + ms;
}
