/**
 * A delivery: the state of one message for one recipient.
 *
 *   pending ──take──▶ in_flight(n, due) ──ack(n)──▶ acked
 *      ▲                    │ nack(n), or due has passed
 *      └──── backoff ───────┘   up to max_retries times, after base·2^(n−1)
 *      ▲                    └─▶ dead_letter, when the attempts are used up
 *      └── given back: at once, and it counts against nothing
 *   in_flight(n) ──printed by a hook──▶ shown(n) ──the model went on──▶ acked
 *                                          └──its turn broke off──▶ given back
 *   pending or in_flight past its time to live ─▶ expired        purged by its owner ─▶ expired
 *
 * A shown delivery still counts as in flight in every sum. It is not unread and holds no other mail back. Its only
 * deadline is its time to live: before that, only what the harness tells of the turn settles it.
 *
 * acked, dead_letter and expired are final. What time does to a delivery depends only on the delivery and the clock
 * (`settled`). So a reader may derive it, and a writer may record it, with the same result.
 */

import type { Attempt, Delivery } from "../../core/mail-records.ts";
import { after, type Deadline, hasPassed, type Moment, wallMsOf, wallTime, wallTimeOf } from "../../core/time.ts";

/**
 * How many given-back attempts are kept, the newest ones. A reader that always gives back must not make the record
 * grow.
 */
const GIVEN_BACK_KEPT = 20;

/** After this many turns that broke off, hooks no longer show a message: it may be the message that breaks them. */
const MOST_BROKEN_SHOWS = 3;

export function isLive({ state }: Delivery): boolean {
  return state === "pending" || state === "in_flight";
}

/** A hook has printed it, and it is not known yet whether the model went on with it. */
export function isShown({ state, attempts }: Delivery): boolean {
  return state === "in_flight" && attempts.at(-1)?.outcome === "shown";
}

/** It waits for a reader, or is with one that may still give it back. */
export function isUnread(delivery: Delivery): boolean {
  return isLive(delivery) && !isShown(delivery);
}

/** A hook showed it before, in a turn that broke off. Nobody is woken for it, because a person stopped that turn. */
export function wasShownBefore({ attempts }: Delivery): boolean {
  return attempts.some(brokeOff);
}

export function maybeBreaksTurns({ attempts }: Delivery): boolean {
  return attempts.filter(brokeOff).length >= MOST_BROKEN_SHOWS;
}

function brokeOff({ outcome, shownIn }: Attempt): boolean {
  return outcome === "given_back" && shownIn !== undefined;
}

/** The number of the newest attempt; 0 before the first. */
export function attemptOf({ attempts, attemptsBefore }: Delivery): number {
  return attempts.at(-1)?.n ?? attemptsBefore;
}

export function isReady(delivery: Delivery, { instant }: Moment): boolean {
  return delivery.state === "pending" && (delivery.due === null || hasPassed(delivery.due, instant));
}

/** The delivery after what time has done to it. The same object if time changed nothing. */
export function settled(delivery: Delivery, moment: Moment): Delivery {
  if (!isLive(delivery)) return delivery;
  // The timeout of the attempt and the expiry, in the order in which they happened: it must not matter when a process
  // looks.
  const then = isGivenUp(delivery, moment) ? givenUp(delivery, delivery.due, moment) : delivery;
  if (!isLive(then) || !isPastItsTime(then, moment)) return then;
  return ended(then, "expired", wallTime(moment.wallMs), "its time to live ended");
}

/** Whether the attempt was not answered in time, and the delivery had not expired by then. */
function isGivenUp(delivery: Delivery, moment: Moment): delivery is Delivery & { readonly due: Deadline } {
  const { state, due, expires, expiresAt } = delivery;
  if (state !== "in_flight" || isShown(delivery) || due === null || !hasPassed(due, moment.instant)) return false;
  const isOfThisBoot = due.epoch === moment.instant.epoch;
  if (due.epoch === expires.epoch) return due.ms <= expires.ms || (!isOfThisBoot && !isPastItsTime(delivery, moment));
  return !isOfThisBoot || wallMsOf(wallTimeOf(due, moment)) <= wallMsOf(expiresAt);
}

function givenUp(delivery: Delivery, due: Deadline, moment: Moment): Delivery {
  const { inflightTimeoutMs } = delivery.terms;
  const reason = `not acknowledged within ${inflightTimeoutMs} ms`;
  // It failed, and backing off began, when the time was up, not when a process noticed.
  return failed(delivery, { since: due, at: wallTimeOfDue(delivery, due, moment) }, "timed_out", reason);
}

/**
 * Computed from what was recorded when it was sent or taken, and not from now, so that every process finds the same
 * time.
 */
function wallTimeOfDue({ expires, expiresAt, attempts, terms }: Delivery, due: Deadline, moment: Moment): string {
  if (due.epoch === expires.epoch) return wallTime(wallMsOf(expiresAt) - (expires.ms - due.ms));
  const takenAt = attempts.at(-1)?.at;
  return takenAt === undefined ? wallTimeOf(due, moment) : wallTime(wallMsOf(takenAt) + terms.inflightTimeoutMs);
}

function isPastItsTime({ expires, expiresAt }: Delivery, { instant, wallMs }: Moment): boolean {
  return expires.epoch === instant.epoch ? hasPassed(expires, instant) : wallMsOf(expiresAt) <= wallMs;
}

export function taken(delivery: Delivery, moment: Moment, transport: string): Delivery {
  const attempt: Attempt = {
    n: attemptOf(delivery) + 1,
    transport,
    at: wallTime(moment.wallMs),
    outcome: "in_flight",
  };
  return {
    ...delivery,
    state: "in_flight",
    due: after(moment.instant, delivery.terms.inflightTimeoutMs),
    attempts: [...delivery.attempts, attempt],
  };
}

/** A hook has printed it in this turn. */
export function shown(delivery: Delivery, turn: string | null): Delivery {
  return { ...delivery, due: delivery.expires, attempts: withOutcome(delivery, "shown", { shownIn: turn }) };
}

/** Its reader is slow but not gone, so the attempt gets more time. */
export function extended(delivery: Delivery, moment: Moment): Delivery {
  return { ...delivery, due: after(moment.instant, delivery.terms.inflightTimeoutMs) };
}

export function acked(delivery: Delivery, moment: Moment): Delivery {
  return ended({ ...delivery, attempts: withOutcome(delivery, "acked") }, "acked", wallTime(moment.wallMs), null);
}

export function nacked(delivery: Delivery, moment: Moment, reason: string): Delivery {
  return failed(delivery, now(moment), "nacked", reason);
}

/**
 * Its reader never saw it. Nothing is wrong with the message, so it does not back off, and it cannot become a dead
 * letter by this.
 */
export function givenBack(delivery: Delivery): Delivery {
  const reason = isShown(delivery)
    ? "shown, but the turn was interrupted before the model went on"
    : "its reader stopped before it was shown";
  const attempts = withOutcome(delivery, "given_back", { reason });
  const unseen = attempts.filter(isUnseen);
  const tooMany = new Set(unseen.slice(0, Math.max(0, unseen.length - GIVEN_BACK_KEPT)));
  return { ...delivery, state: "pending", due: null, attempts: attempts.filter((attempt) => !tooMany.has(attempt)) };
}

function isUnseen({ outcome }: Attempt): boolean {
  return outcome === "given_back";
}

export function purged(delivery: Delivery, moment: Moment): Delivery {
  if (delivery.state === "dead_letter") return { ...delivery, purged: true };
  return ended(delivery, "expired", wallTime(moment.wallMs), "purged");
}

/** When an attempt failed: `since` for deadlines, `at` for people. */
interface Failure {
  readonly since: Deadline;
  readonly at: string;
}

function now({ instant, wallMs }: Moment): Failure {
  return { since: instant, at: wallTime(wallMs) };
}

function failed(delivery: Delivery, { since, at }: Failure, outcome: "nacked" | "timed_out", reason: string): Delivery {
  const tried = { ...delivery, attempts: withOutcome(delivery, outcome, { reason }) };
  const { maxRetries, baseBackoffMs } = delivery.terms;
  const tries = delivery.attempts.filter((attempt) => !isUnseen(attempt)).length;
  if (tries > maxRetries) return ended(tried, "dead_letter", at, reason);
  return { ...tried, state: "pending", due: after(since, baseBackoffMs * 2 ** (tries - 1)) };
}

function ended(
  delivery: Delivery,
  state: "acked" | "dead_letter" | "expired",
  endedAt: string,
  reason: string | null,
): Delivery {
  return { ...delivery, state, due: null, reason, endedAt };
}

function withOutcome(
  { attempts }: Delivery,
  outcome: Exclude<Attempt["outcome"], "in_flight">,
  more: Pick<Attempt, "reason" | "shownIn"> = {},
): readonly Attempt[] {
  const last = attempts.at(-1);
  if (!last) return attempts;
  return [...attempts.slice(0, -1), { ...last, outcome, ...more }];
}
