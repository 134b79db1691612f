/** A delivery in the words of the mailbox protocol. Its attempts count from 0, ours from 1. */

import type { AgentId, EventId } from "../../core/ids.ts";
import type { Delivery } from "../../core/mail-records.ts";
import { type Moment, wallMsOf } from "../../core/time.ts";
import type { Deps } from "../../engine/deps.ts";
import { attemptOf, isReady } from "../rules/delivery.ts";
import type { MessageSent } from "../rules/message.ts";

export interface MailboxMessage {
  readonly msgId: string;
  readonly from: AgentId;
  readonly to: AgentId;
  readonly payload: string;
  readonly createdAtSecs: number;
  readonly attempt: number;
}

export type MailboxState = "pending" | "in_flight" | "acked" | "nacked" | "dead_letter" | "expired";

/** The deliveries with what was said in them; without those that another process has ended and pruned meanwhile. */
export async function mailboxMessages(
  deps: Deps,
  deliveries: readonly Delivery[],
  moment: Moment,
  known?: readonly MessageSent[],
): Promise<readonly { readonly delivery: Delivery; readonly message: MailboxMessage }[]> {
  if (deliveries.length === 0) return [];
  const found = known ?? (await deps.store.readMessages([...new Set(deliveries.map(({ messageId }) => messageId))]));
  const messages = new Map<EventId, MessageSent>(found.map((message) => [message.eventId, message]));
  return deliveries.flatMap((delivery) => {
    const message = messages.get(delivery.messageId);
    return message ? [{ delivery, message: inProtocolWords(delivery, message, moment) }] : [];
  });
}

function inProtocolWords(delivery: Delivery, { payload, createdAt }: MessageSent, moment: Moment): MailboxMessage {
  return {
    msgId: delivery.msgId,
    from: delivery.from,
    to: delivery.recipient,
    payload: payload.body,
    createdAtSecs: payload.createdAtSecs ?? secondsOf(createdAt),
    attempt: attemptNumber(delivery, moment),
  };
}

export function mailboxState(delivery: Delivery, moment: Moment): MailboxState {
  const backsOff = delivery.state === "pending" && !isReady(delivery, moment);
  return backsOff ? "nacked" : delivery.state;
}

/** What waits to be dequeued has the number of its next attempt; everything else that of its last. */
function attemptNumber(delivery: Delivery, moment: Moment): number {
  const made = attemptOf(delivery);
  return mailboxState(delivery, moment) === "pending" ? made : made - 1;
}

export function secondsOf(iso: string): number {
  return Math.floor(wallMsOf(iso) / 1000);
}
