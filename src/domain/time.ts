/**
 * Time as the rules see it.
 *
 * Deadlines live on a clock that no wall-clock jump can move: boot time on one machine, server time on a
 * shared store. `epoch` names the run of that clock (the boot id). An instant of another epoch cannot be
 * compared, only recognised as belonging to a machine run that is over, so a deadline from there has passed.
 *
 * `suspendedMs` is how long the machine has slept in this epoch. When it has grown since a deadline was
 * set, nobody could have kept that deadline, and the room grants a grace (see room/settle.ts).
 */
export interface Instant {
  readonly epoch: string;
  readonly ms: number;
}

export type Deadline = Instant;

/** What time it is, gathered once per command. `wall` is for people and is never compared. */
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

/** Milliseconds since `then`; without bound when `then` belongs to another epoch. */
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

/** The number behind an ISO text, to compare wall times where people are the only judges. */
export function wallMsOf(iso: string): number {
  return Date.parse(iso);
}

/** ISO text of a given wall time; reads no clock. Clamped, because a wild wall clock must not throw. */
export function wallTime(wallMs: number): string {
  const limit = 8.64e15;
  return new Date(Math.min(limit, Math.max(-limit, Math.round(wallMs)))).toISOString();
}
