/** What the page needs of its browser besides the document: time and random names. */

export function nowMs(): number {
  return Date.now();
}

/** For figures of one page, such as how long a frame took. */
export function elapsedSinceLoad(): number {
  return performance.now();
}

/** A name for a message, so that a repeated send is one message. */
export function freshName(): string {
  return crypto.randomUUID();
}

/** The moment in local time, as a field for a date and a time has it: `2026-01-31T09:05`. */
export function localMinute(wallMs: number): string {
  const minutesWest = new Date(wallMs).getTimezoneOffset();
  return new Date(wallMs - minutesWest * 60_000).toISOString().slice(0, 16);
}

/** The month of a moment by the user's calendar, counted from January of the year 0. */
export function monthAt(wallMs: number): number {
  const date = new Date(wallMs);
  return date.getFullYear() * 12 + date.getMonth();
}

/** The first moment of such a month. */
export function monthBegin(month: number): number {
  // A year below 100 would mean one of the last century if it were given to the constructor.
  return new Date(2000, 0, 1).setFullYear(Math.floor(month / 12), month % 12, 1);
}
