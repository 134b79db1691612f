/** What a decision changes in mailboxes. Counts follow the deliveries by themselves. */

import type { AgentId, EventId } from "../../core/ids.ts";
import type { Ask, Delivery, MailChange, StoredMailbox } from "../../core/mail-records.ts";
import { counted, emptyMailbox } from "./mailbox.ts";

export function beginMail(boxes: ReadonlyMap<AgentId, StoredMailbox>): MailChange {
  return { boxes, deliveries: new Map(), asks: new Map(), sent: null };
}

export function boxOf(mail: MailChange, agentId: AgentId): StoredMailbox {
  return mail.boxes.get(agentId) ?? emptyMailbox(agentId);
}

export function withBox(mail: MailChange, box: StoredMailbox): MailChange {
  if (mail.boxes.get(box.agentId) === box) return mail;
  return { ...mail, boxes: new Map(mail.boxes).set(box.agentId, box) };
}

/** Puts a delivery into its new state; `before` is null for a new one. */
export function withDelivery(mail: MailChange, before: Delivery | null, now: Delivery): MailChange {
  if (before === now) return mail;
  const box = counted(boxOf(mail, now.recipient), before, now);
  return { ...withBox(mail, box), deliveries: new Map(mail.deliveries).set(now.seq, now) };
}

export function withAsk(mail: MailChange, ask: Ask): MailChange {
  return { ...mail, asks: new Map(mail.asks).set(ask.requestId, ask) };
}

/** The messages that the change hands to a reader. */
export function takenIn({ deliveries }: MailChange): readonly EventId[] {
  const taken = [...deliveries.values()].filter(({ state }) => state === "in_flight");
  return [...new Set(taken.map(({ messageId }) => messageId))];
}
