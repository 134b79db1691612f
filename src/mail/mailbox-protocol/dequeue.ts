/** Taking the oldest message that may go, and answering for it. */

import type { AgentId, EventId } from "../../core/ids.ts";
import type { Delivery, DeliveryState } from "../../core/mail-records.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { Moment } from "../../core/time.ts";
import type { Deps } from "../../engine/deps.ts";
import type { MailWindow } from "../../engine/ports/mail-store.ts";
import { changeMailbox, type TakenFrom, takeFromMailbox } from "../change-mailbox.ts";
import { type AnswerMsgId, answerMsgId } from "../rules/answer-msg-id.ts";
import { attemptOf } from "../rules/delivery.ts";
import { boxOf } from "../rules/mail-change.ts";
import { unread } from "../rules/mailbox.ts";
import { takeMail } from "../rules/take.ts";
import { mailboxCaller } from "./caller.ts";
import { type MailboxMessage, mailboxMessages } from "./mailbox-message.ts";

/** Only the first that has not ended can be taken from a sender; a few more spare another look. */
const LANES: MailWindow = { kind: "lanes", perSender: 10, from: null };

/** One message, so its size does not matter. */
const ONE = { limit: 1, maxBytes: 0, onePerSender: true, from: null, transport: "mailbox" } as const;

export interface Dequeued {
  readonly message: MailboxMessage;
  readonly messageId: EventId;
  /** As we count them, from 1. */
  readonly attempt: number;
}

export async function dequeue(deps: Deps, owner: AgentId): Promise<Dequeued | null> {
  for (;;) {
    const { answer, messages } = await takeOne(deps, owner);
    const { delivery, moment, hasMore } = answer;
    const [taken] = delivery ? await mailboxMessages(deps, [delivery], moment, messages) : [];
    if (taken) return { ...taken, messageId: taken.delivery.messageId, attempt: attemptOf(taken.delivery) };
    if (!delivery && !hasMore) return null;
  }
}

interface Look {
  readonly delivery: Delivery | undefined;
  readonly moment: Moment;
  /** Something was found to have ended, so that what lies behind it may go. */
  readonly hasMore: boolean;
}

function takeOne(deps: Deps, owner: AgentId): Promise<TakenFrom<Look>> {
  return takeFromMailbox<Look>(deps, mailboxCaller(owner), LANES, (window, given) => {
    const { mail, answer } = takeMail(window, given, ONE);
    const [delivery] = answer.deliveries;
    const hasMore = unread(boxOf(mail, window.box.agentId)) < unread(window.box);
    return { mail, answer: { delivery, moment: given.moment, hasMore } };
  });
}

/** Ends the message or gives it back; the state it has now. */
export function answerFor(deps: Deps, owner: AgentId, command: AnswerMsgId): Promise<DeliveryState | Refusal> {
  const look = { kind: "msg_id", msgId: command.msgId } as const;
  return changeMailbox(deps, mailboxCaller(owner), look, (window, given) => answerMsgId(window, given, command));
}
