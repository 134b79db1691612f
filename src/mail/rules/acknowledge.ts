/** Answering for what was taken. An answer names its attempt: one that comes too late for it changes nothing. */

import type { EventId } from "../../core/ids.ts";
import type { Delivery, DeliveryState, MailChange } from "../../core/mail-records.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { acked, attemptOf, extended, givenBack, nacked, taken } from "./delivery.ts";
import { withDelivery } from "./mail-change.ts";
import { staleAnswer } from "./stale-answer.ts";
import { type MailboxWindow, type MailDecision, settleMail } from "./take.ts";

export interface AnswerFor {
  readonly messageId: EventId;
  /** Null means the newest attempt. */
  readonly attempt: number | null;
  /** Which delivery, where that is known: after a merge a mailbox may hold two of one message. */
  readonly seq?: number;
  /** How the answering program numbers a first attempt; 1 unless it says otherwise. */
  readonly firstNumber?: 0 | 1;
}

/** For deliveries that the caller has just taken. */
export function answersFor(deliveries: readonly Delivery[]): readonly (AnswerFor & { readonly seq: number })[] {
  return deliveries.map((delivery) => ({
    messageId: delivery.messageId,
    attempt: attemptOf(delivery),
    seq: delivery.seq,
  }));
}

export interface Acknowledged {
  readonly messageId: EventId;
  readonly attempt: number;
  readonly state: DeliveryState;
  /** It had ended so before; this answer changed nothing. */
  readonly repeated: boolean;
}

/** The message is not the caller's, or the answer comes for the wrong attempt. */
export type AnswerRefusal = Refusal<"not_your_message" | "attempt_stale">;

export function ackMail(
  window: MailboxWindow,
  given: Given,
  answers: readonly AnswerFor[],
): MailDecision<readonly (Acknowledged | AnswerRefusal)[]> {
  return answerEach(window, given, answers, "acked", (delivery) => acked(delivery, given.moment));
}

/** For a message that its reader has answered and not taken: it knows what the message says. */
export function ackAnswered(window: MailboxWindow, given: Given, messageId: EventId): MailDecision<true> {
  const settled = settleMail(window, given);
  const waiting = settled.live.filter((delivery) => delivery.messageId === messageId && delivery.state === "pending");
  const mail = waiting.reduce(
    (before, delivery) => withDelivery(before, delivery, acked(taken(delivery, given.moment, "reply"), given.moment)),
    settled.mail,
  );
  return { mail, answer: true };
}

export function nackMail(
  window: MailboxWindow,
  given: Given,
  answer: AnswerFor,
  reason: string,
): MailDecision<Acknowledged | AnswerRefusal> {
  const { mail, answer: each } = answerEach(window, given, [answer], "dead_letter", (delivery) =>
    nacked(delivery, given.moment, reason),
  );
  return { mail, answer: each[0] as Acknowledged | AnswerRefusal };
}

/** A slow reader keeps what it has taken. What it has lost meanwhile is not taken back. */
export function extendMail(
  window: MailboxWindow,
  given: Given,
  answers: readonly AnswerFor[],
): MailDecision<readonly (Acknowledged | AnswerRefusal)[]> {
  return answerEach(window, given, answers, "in_flight", (delivery) => extended(delivery, given.moment));
}

/** Nobody was shown what had been taken: it may be taken again at once. */
export function giveBackMail(
  window: MailboxWindow,
  given: Given,
  answers: readonly AnswerFor[],
): MailDecision<readonly (Acknowledged | AnswerRefusal)[]> {
  return answerEach(window, given, answers, "in_flight", givenBack);
}

export function answerEach(
  window: MailboxWindow,
  given: Given,
  answers: readonly AnswerFor[],
  wanted: DeliveryState,
  apply: (delivery: Delivery) => Delivery,
): MailDecision<readonly (Acknowledged | AnswerRefusal)[]> {
  let { mail } = settleMail(window, given);
  const results = answers.map(({ messageId, attempt, seq, firstNumber = 1 }) => {
    const delivery = meant(window, mail, messageId, seq);
    if (!delivery) return notYours(messageId);
    const stale = staleAnswer(delivery, { attempt, wanted, firstNumber });
    if (stale !== null) return stale;
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

function notYours(messageId: EventId): Refusal<"not_your_message"> {
  return refuse(
    "not_your_message",
    `No message ${JSON.stringify(messageId)} was delivered to you.`,
    "Give the message_id as it was shown when you received it, or at least its first four characters.",
  );
}
