/** What became of messages, in words. */

import type { Attempt } from "../../../core/mail-records.ts";
import type { DeadLetter, DeadLetters } from "../../../mail/dead-letters.ts";
import type { DeliveryStatus, MessageStatus } from "../../../mail/message-status.ts";
import { ago, until } from "../../words/ago.ts";
import { wrap, wrapWhole } from "../../words/wrap.ts";
import { bodyText } from "./message.ts";
import type { Page, Reading } from "./reading.ts";

const STATES = {
  pending: "waits to be read",
  in_flight: "is being read",
  acked: "was read",
  dead_letter: "is a dead letter",
  expired: "has expired",
} as const;

const WOKEN = {
  fired: "its reader was woken and has been active since",
  fired_unconfirmed: "a wake was sent to its reader, which has not been active since",
} as const;

const OUTCOMES = {
  in_flight: "not acknowledged yet",
  shown: "shown; acknowledged when the agent goes on with it",
  acked: "acknowledged",
  nacked: "given back",
  timed_out: "not acknowledged in time",
  given_back: "put back",
} as const;

export function traceText({ messageId, from, createdAt, deliveries }: MessageStatus, reading: Reading) {
  const { nowMs, width, names } = reading;
  const sender = from === null ? "nobody" : names.of(from);
  const head = wrap(`${names.short(messageId)} from ${sender}, ${ago(createdAt, nowMs)}`, width, "  ");
  const parts = deliveries.map((delivery) => deliveryText(delivery, reading));
  return [head, ...(parts.length === 0 ? ["It was delivered to nobody."] : parts)].join("\n");
}

function deliveryText(delivery: DeliveryStatus, { nowMs, width, names }: Reading): string {
  const { to, state, attempts, nextAttemptAt, expiresAt, reason, requeuedFrom, purged, wakeStatus } = delivery;
  const again = requeuedFrom === undefined ? "" : ", requeued";
  const next = nextAttemptAt === undefined ? "" : `, tried again ${until(nextAttemptAt, nowMs)}`;
  const woken = wakeStatus === undefined ? "" : `, ${WOKEN[wakeStatus]}`;
  const end = state === "pending" || state === "in_flight" ? `, kept until ${expiresAt}` : "";
  const why = reason === undefined ? "" : `: ${reason}`;
  const gone = purged ? ", and was purged" : "";
  const head = `${names.of(to)}${again}: it ${STATES[state]}${why}${gone}${woken}${next}${end}`;
  return [`  ${wrap(head, width, "    ")}`, ...attempts.map((attempt) => attemptText(attempt, nowMs, width))].join(
    "\n",
  );
}

function attemptText({ n, transport, at, outcome, reason }: Attempt, nowMs: number, width: number): string {
  const why = reason === undefined ? "" : `: ${reason}`;
  return `    ${wrap(`attempt ${n} by ${transport}, ${ago(at, nowMs)}, ${OUTCOMES[outcome]}${why}`, width, "      ")}`;
}

/** For a command that is not about dead letters: nothing when there are none. */
export function deadLetterLines(count: number, { tt, width }: Page): readonly string[] {
  const line = `${count} dead letter${count === 1 ? "" : "s"}: ${tt} dlq list`;
  return count === 0 ? [] : [wrapWhole(line, width, "  ")];
}

export function deadLettersText({ deadLetters, hasMore, cursorDeliverySeq }: DeadLetters, reading: Reading): string {
  const { width, tt } = reading;
  if (deadLetters.length === 0) return "No dead letters.";
  const lines = deadLetters.map((letter) => wrap(headOf(letter, reading), width, "  "));
  const more = hasMore ? [`There are more. Go on with: ${tt} dlq list --after ${cursorDeliverySeq}`] : [];
  const hints = [...more, `Read one with: ${tt} dlq show ID`];
  return [...lines, ...hints.map((hint) => wrapWhole(hint, width, "  "))].join("\n");
}

function headOf(letter: DeadLetter, { nowMs, names }: Reading): string {
  const { messageId, from, failedAt, attempts, reason, requeuedAs } = letter;
  // What was put back unseen has not brought it here.
  const tries = attempts.filter(({ outcome }) => outcome !== "given_back").length;
  const after = `${tries} attempt${tries === 1 ? "" : "s"}`;
  const again = requeuedAs === undefined ? "" : " (requeued since)";
  return `${names.short(messageId)} from ${names.of(from)}, dead ${ago(failedAt, nowMs)} after ${after}: ${reason}${again}`;
}

export function deadLetterText(letter: DeadLetter, reading: Reading): string {
  const { nowMs, width, tt, names } = reading;
  const { requeuedAs } = letter;
  const messageId = names.short(letter.messageId);
  const next =
    requeuedAs === undefined
      ? `Deliver it again with: ${tt} dlq requeue ${messageId}`
      : `What became of it since: ${tt} msg trace ${messageId}`;
  return [
    wrap(headOf(letter, reading), width, "  "),
    bodyText(letter.body, width),
    ...letter.attempts.map((attempt) => attemptText(attempt, nowMs, width)),
    wrapWhole(next, width, "  "),
  ].join("\n");
}
