/** Answering for what was taken. An answer names its attempt: one that comes too late for it changes nothing. */
import type { Given } from "../given.ts";
import type { EventId } from "../ids.ts";
import { type Refusal, refuse } from "../refusal.ts";
import {
  acked,
  attemptOf,
  type Delivery,
  type DeliveryState,
  extended,
  givenBack,
  isLive,
  nacked,
} from "./delivery.ts";
import { type MailChange, withDelivery } from "./mail-change.ts";
import { type MailboxWindow, type MailDecision, settleMail } from "./take.ts";

export interface AnswerFor {
  readonly messageId: EventId;
  /** Null means the newest attempt. */
  readonly attempt: number | null;
  /** Which delivery, where that is known: after a merge a mailbox may hold two of one message. */
  readonly seq?: number;
}

export interface Acknowledged {
  readonly messageId: EventId;
  readonly attempt: number;
  readonly state: DeliveryState;
  /** It had ended before; this answer changed nothing. */
  readonly repeated: boolean;
}

export function ackMail(
  window: MailboxWindow,
  given: Given,
  answers: readonly AnswerFor[],
): MailDecision<readonly (Acknowledged | Refusal)[]> {
  return answerEach(window, given, answers, (delivery) => acked(delivery, given.moment));
}

export function nackMail(
  window: MailboxWindow,
  given: Given,
  answer: AnswerFor,
  reason: string,
): MailDecision<Acknowledged | Refusal> {
  const { mail, answer: each } = answerEach(window, given, [answer], (delivery) =>
    nacked(delivery, given.moment, reason),
  );
  return { mail, answer: each[0] as Acknowledged | Refusal };
}

/** A slow reader keeps what it has taken. What it has lost meanwhile is not taken back. */
export function extendMail(
  window: MailboxWindow,
  given: Given,
  answers: readonly AnswerFor[],
): MailDecision<readonly (Acknowledged | Refusal)[]> {
  return answerEach(window, given, answers, (delivery) => extended(delivery, given.moment));
}

/** Nobody was shown what had been taken: it may be taken again at once. */
export function giveBackMail(
  window: MailboxWindow,
  given: Given,
  answers: readonly AnswerFor[],
): MailDecision<readonly (Acknowledged | Refusal)[]> {
  return answerEach(window, given, answers, givenBack);
}

function answerEach(
  window: MailboxWindow,
  given: Given,
  answers: readonly AnswerFor[],
  apply: (delivery: Delivery) => Delivery,
): MailDecision<readonly (Acknowledged | Refusal)[]> {
  let { mail } = settleMail(window, given);
  const results = answers.map(({ messageId, attempt, seq }) => {
    const delivery = meant(window, mail, messageId, seq);
    if (!delivery) return notYours(messageId);
    const problem = staleness(delivery, attempt);
    if (problem !== null) return problem;
    const now = delivery.state === "in_flight" ? apply(delivery) : delivery;
    mail = withDelivery(mail, delivery, now);
    return { messageId, attempt: attemptOf(now), state: now.state, repeated: now === delivery };
  });
  return { mail, answer: results };
}

/** A requeued message has several deliveries; the newest is the one that counts, unless one is named. */
function meant(
  { deliveries }: MailboxWindow,
  mail: MailChange,
  messageId: EventId,
  seq: number | undefined,
): Delivery | undefined {
  const isMeant = (delivery: Delivery) => delivery.messageId === messageId && (seq ?? delivery.seq) === delivery.seq;
  const last = deliveries.findLast(isMeant);
  return last && (mail.deliveries.get(last.seq) ?? last);
}

function staleness(delivery: Delivery, attempt: number | null): Refusal | null {
  const current = attemptOf(delivery);
  const facts = { current_attempt: current, state: delivery.state };
  if (attempt !== null && attempt !== current) {
    return refuse(
      "attempt_stale",
      `Attempt ${attempt} is over; the message is at attempt ${current} and ${delivery.state}.`,
      "Take the message again and answer for that attempt.",
      facts,
    );
  }
  if (delivery.state !== "pending" || !isLive(delivery)) return null;
  return refuse(
    "attempt_stale",
    current === 0
      ? "The message has not been taken yet."
      : `Attempt ${current} is over, and the message waits to be taken again.`,
    "Take the message first, then answer for that attempt.",
    facts,
  );
}

function notYours(messageId: EventId): Refusal {
  return refuse(
    "not_your_message",
    `No message ${JSON.stringify(messageId)} was delivered to you.`,
    "Give the message_id exactly as it was shown when you received it.",
  );
}
