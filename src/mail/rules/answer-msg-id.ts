/**
 * Answering by the sender's id. The mailbox protocol names a message by the id that its sender gave it, so two senders
 * may have given the same one. An answer that the message has had already is a no-op, whichever attempt gave it; one
 * that comes too late for its attempt, or for the message, is refused. Attempts count from 1 here as everywhere; what the
 * answerer is told of them counts from 0, as the protocol does.
 */

import type { AgentId, EventId } from "../../core/ids.ts";
import type { Delivery, DeliveryState } from "../../core/mail-records.ts";
import { isRefusal, type Refusal, refuse } from "../../core/refusal.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { type Acknowledged, type AnswerFor, ackMail, nackMail } from "./acknowledge.ts";
import { afterEnd } from "./stale-answer.ts";
import { type MailboxWindow, type MailDecision, settleMail } from "./take.ts";

export interface AnswerMsgId {
  readonly msgId: string;
  /** The very message, where the caller knows which one it took. */
  readonly messageId: EventId | null;
  /** The sender, where the caller names it. */
  readonly from: AgentId | null;
  /** Null means the newest attempt. */
  readonly attempt: number | null;
  /** Null takes the message; a reason gives it back. */
  readonly nackReason: string | null;
}

/** `window` holds the deliveries with this id. */
export function answerMsgId(
  window: MailboxWindow,
  given: Given,
  command: AnswerMsgId,
): MailDecision<DeliveryState | Refusal> {
  const { mail } = settleMail(window, given);
  const now = window.deliveries.map((delivery) => mail.deliveries.get(delivery.seq) ?? delivery);
  const meant = meantBy(now, command);
  if (isRefusal(meant)) return { mail, answer: meant };
  const { messageId, state } = meant;
  const wanted: DeliveryState = command.nackReason === null ? "acked" : "dead_letter";
  if (state === wanted) return { mail, answer: state };
  if (meant.endedAt !== null) return { mail, answer: tooLate(command.msgId, state) };
  const decision = answered(window, given, { messageId, attempt: command.attempt, firstNumber: 0 }, command.nackReason);
  const { answer } = decision;
  return { mail: decision.mail, answer: isRefusal(answer) ? answer : answer.state };
}

function answered(window: MailboxWindow, given: Given, answer: AnswerFor, nackReason: string | null) {
  if (nackReason !== null) return nackMail(window, given, answer, nackReason);
  const { mail, answer: each } = ackMail(window, given, [answer]);
  return { mail, answer: each[0] as Acknowledged | Refusal };
}

/** The newest delivery of the message that is meant: the one the caller took, or the only one in flight. */
function meantBy(all: readonly Delivery[], { msgId, messageId, from }: AnswerMsgId): Delivery | Refusal {
  const deliveries = from === null ? all : all.filter((delivery) => delivery.from === from);
  const known = deliveries.findLast((delivery) => delivery.messageId === messageId);
  if (known) return known;
  const inFlight = deliveries.filter(({ state }) => state === "in_flight");
  if (inFlight.length > 1) return ambiguous(msgId, inFlight);
  return inFlight[0] ?? deliveries.at(-1) ?? unknown(msgId);
}

function unknown(msgId: string): Refusal {
  return refuse(
    "message_not_found",
    `There is no message ${JSON.stringify(msgId)} in this mailbox.`,
    "Give the session and the msg_id exactly as they were when it was dequeued.",
    { msg_id: msgId },
  );
}

function ambiguous(msgId: string, deliveries: readonly Delivery[]): Refusal {
  return refuse(
    "msg_id_conflict",
    `${deliveries.length} senders gave the id ${JSON.stringify(msgId)}, and all of these messages are in flight.`,
    "Name the sender (from, or --from), or answer through the handle that dequeued the message.",
    { msg_id: msgId, from: deliveries.map(({ from }) => from) },
  );
}

function tooLate(msgId: string, state: DeliveryState): Refusal {
  return refuse(
    "attempt_stale",
    `The message ${JSON.stringify(msgId)} has ended as ${state}; nothing was changed.`,
    afterEnd(state),
    { msg_id: msgId, state },
  );
}
