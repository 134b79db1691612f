/**
 * Time as the rules see it.
 *
 * Deadlines live on a clock that no wall-clock jump can move: boot time on one machine, server time on a shared store.
 * `epoch` names the run of that clock (the boot id). An instant of another epoch cannot be compared. It belongs to a
 * run of the machine that is over, so such a deadline has passed.
 *
 * `suspendedMs` is how long the machine has slept in this epoch. When it has grown since a deadline was set, nobody
 * could have kept that deadline, and the room grants a grace (see room/rules/settle.ts).
 */
export interface Instant {
  readonly epoch: string;
  readonly ms: number;
}

export type Deadline = Instant;

/** The time, read once per command. `wall` is for people, and compared only across a reboot. */
export interface Moment {
  readonly instant: Instant;
  readonly suspendedMs: number;
  readonly wallMs: number;
}

export function after(start: Instant, ms: number): Instant {
  return { epoch: start.epoch, ms: start.ms + ms };
}

export function hasPassed(deadline: Deadline, now: Instant): boolean {
  return deadline.epoch !== now.epoch || deadline.ms <= now.ms;
}

/** Milliseconds since `then`; infinite if `then` belongs to another epoch. */
export function elapsedMs(then: Instant, now: Instant): number {
  return then.epoch === now.epoch ? now.ms - then.ms : Number.POSITIVE_INFINITY;
}

export function latest(a: Instant, b: Instant): Instant {
  return a.epoch === b.epoch && a.ms >= b.ms ? a : b;
}

/** The wall time at which a deadline falls, for people. A deadline of another epoch shows as now. */
export function wallTimeOf(deadline: Deadline, moment: Moment): string {
  const inMs = deadline.epoch === moment.instant.epoch ? deadline.ms - moment.instant.ms : 0;
  return wallTime(moment.wallMs + inMs);
}

/** The milliseconds of an ISO text, to compare wall times if no other clock can be used. */
export function wallMsOf(iso: string): number {
  return Date.parse(iso);
}

/** For people: `12s`, `5m`, `3h` or `2d`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

const DAY_MS = 86_400_000;
const YEAR_10000_MS = 253_402_300_800_000;

/** ISO text of a given wall time; reads no clock. Clamped, because a wild wall clock must not throw. */
export function wallTime(wallMs: number): string {
  const ms = Math.round(wallMs);
  // Date reads the machine's time zone before it formats its first text, even for UTC. That takes time.
  if (ms >= 0 && ms < YEAR_10000_MS) return `${dateOf(Math.floor(ms / DAY_MS))}T${timeOf(ms % DAY_MS)}Z`;
  const limit = 8.64e15;
  return new Date(Math.min(limit, Math.max(-limit, ms))).toISOString();
}

/** The date of a day since 1970. Years are counted from March, so that a leap day is the last of its year. */
function dateOf(day: number): string {
  const sinceMarch0 = day + 719_468;
  const era = Math.floor(sinceMarch0 / 146_097);
  const dayOfEra = sinceMarch0 - era * 146_097;
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthSinceMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * monthSinceMarch + 2) / 5) + 1;
  const month = monthSinceMarch < 10 ? monthSinceMarch + 3 : monthSinceMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(dayOfMonth, 2)}`;
}

function timeOf(msOfDay: number): string {
  const seconds = Math.floor(msOfDay / 1000);
  const minutes = Math.floor(seconds / 60);
  const clock = `${digits(Math.floor(minutes / 60), 2)}:${digits(minutes % 60, 2)}:${digits(seconds % 60, 2)}`;
  return `${clock}.${digits(msOfDay % 1000, 3)}`;
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, "0");
}

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A wall time as the clock on the wall of this machine's user shows it: `14:02:07`, and the day: `Wed 18 Nov 2026`. */
export function clockOf(wallMs: number): { readonly time: string; readonly day: string } {
  const date = new Date(wallMs);
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => digits(part, 2));
  const day = [WEEKDAYS[date.getDay()], date.getDate(), MONTHS[date.getMonth()], date.getFullYear()];
  return { time: time.join(":"), day: day.join(" ") };
}
