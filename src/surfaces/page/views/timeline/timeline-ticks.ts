/** The ticks of the time axis: full moments of the user's clock and calendar, as many as there is room for. */
import { clockOf } from "../../../../core/time.ts";
import { monthAt, monthBegin } from "../../browser.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, type TimeSpan } from "./timeline-window.ts";

export interface TimeTick {
  readonly atMs: number;
  readonly label: string;
  /** Whether a day begins here. */
  readonly isDay: boolean;
}

const WITHIN_A_DAY = [
  ...multiples(1, [5, 10, 20, 50, 100, 200, 500]),
  ...multiples(SECOND_MS, [1, 2, 5, 10, 15, 30]),
  ...multiples(MINUTE_MS, [1, 2, 5, 10, 15, 30]),
  ...multiples(HOUR_MS, [1, 2, 3, 6, 12]),
];
const DAYS = [1, 2, 7, 14];
const MONTHS = [1, 3, 6, 12, 24, 60, 120, 600, 1200, 6000, 12_000];
const MEAN_MONTH_MS = 30.44 * DAY_MS;
/** A label and some space. */
const TICK_PX = 92;
/** The same with the thousandths of a second. */
const MILLISECOND_TICK_PX = 112;

function multiples(unitMs: number, counts: readonly number[]): readonly number[] {
  return counts.map((count) => count * unitMs);
}

export function ticksIn(span: TimeSpan, widthPx: number): readonly TimeTick[] {
  const length = span.toMs - span.fromMs;
  const most = (px: number) => Math.max(1, Math.floor(widthPx / px));
  const step = WITHIN_A_DAY.find(
    (stepMs) => length / stepMs <= most(stepMs < SECOND_MS ? MILLISECOND_TICK_PX : TICK_PX),
  );
  if (step !== undefined) return ticksOfClock(span, step);
  const fits = (stepMs: number) => length / stepMs <= most(TICK_PX);
  const days = DAYS.find((count) => fits(count * DAY_MS));
  if (days !== undefined) return ticksOfDays(span, days);
  return ticksOfMonths(span, MONTHS.find((count) => fits(count * MEAN_MONTH_MS)) ?? 12_000);
}

function ticksOfClock({ fromMs, toMs }: TimeSpan, stepMs: number): readonly TimeTick[] {
  const ticks: TimeTick[] = [];
  let day = midnightOf(fromMs);
  while (day <= toMs) {
    // Each day has its own beginning: some are an hour shorter or longer.
    const next = midnightOf(day + 1.5 * DAY_MS);
    const first = day + Math.max(0, Math.ceil((fromMs - day) / stepMs)) * stepMs;
    for (let atMs = first; atMs < next && atMs <= toMs; atMs += stepMs) {
      const isDay = atMs === day;
      ticks.push({ atMs, isDay, label: isDay ? dayLabel(atMs) : clockLabel(atMs, stepMs) });
    }
    day = next;
  }
  return ticks;
}

function clockLabel(atMs: number, stepMs: number): string {
  const { time } = clockOf(atMs);
  if (stepMs >= MINUTE_MS) return time.slice(0, 5);
  return stepMs >= SECOND_MS ? time : `${time}.${String(thousandths(atMs)).padStart(3, "0")}`;
}

function ticksOfDays({ fromMs, toMs }: TimeSpan, days: number): readonly TimeTick[] {
  const ticks: TimeTick[] = [];
  const today = midnightOf(fromMs);
  // Days are numbered, so that the ticks stay where they are while the window moves.
  let atMs = midnightOf(today - (Math.round(today / DAY_MS) % days) * DAY_MS + DAY_MS / 2);
  while (atMs <= toMs) {
    if (atMs >= fromMs) ticks.push({ atMs, isDay: true, label: dayLabel(atMs) });
    atMs = midnightOf(atMs + (days + 0.5) * DAY_MS);
  }
  return ticks;
}

/** The first days of months; of years, those that the step divides. */
function ticksOfMonths({ fromMs, toMs }: TimeSpan, months: number): readonly TimeTick[] {
  const ticks: TimeTick[] = [];
  let month = Math.floor(monthAt(fromMs) / months) * months;
  for (let atMs = monthBegin(month); atMs <= toMs; month += months, atMs = monthBegin(month)) {
    if (atMs >= fromMs) ticks.push({ atMs, isDay: true, label: monthLabel(atMs, months) });
  }
  return ticks;
}

function monthLabel(atMs: number, months: number): string {
  const [, , month = "", year = ""] = clockOf(atMs).day.split(" ");
  return months % 12 === 0 ? year : `${month} ${year}`;
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
  return hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS + thousandths(atMs);
}

function thousandths(atMs: number): number {
  return ((atMs % SECOND_MS) + SECOND_MS) % SECOND_MS;
}
