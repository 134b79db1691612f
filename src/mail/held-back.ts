/**
 * Mail of one sender comes in its order: a message waits behind an older one that is in flight or backs off. So its
 * recipient, though it is receiving, does not see it now. Only a mailbox with unread mail is looked at.
 */

import type { AgentId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import type { DeliveryReceipt, Mailbox, Sent, WillBeSeen } from "../core/mail-records.ts";
import type { Deps } from "../engine/deps.ts";
import { isLive, isReady, settled } from "./rules/delivery.ts";
import { unread } from "./rules/mailbox.ts";
import type { SendMessage } from "./rules/send.ts";

const SOON: readonly WillBeSeen[] = ["now", "next_tool_call", "turn_end"];

/** `before`: the mailboxes as they were before the message. A reply may be taken out of its order. */
export async function heldBackFrom(
  deps: Deps,
  { messageId, deliveries }: Sent,
  before: ReadonlyMap<AgentId, Mailbox>,
  { replyTo }: Pick<SendMessage, "replyTo">,
): Promise<ReadonlySet<AgentId>> {
  const held = new Set<AgentId>();
  const behind = deliveries.filter(({ to, willBeSeen }) => {
    const box = before.get(to);
    return box && unread(box) > 0 && SOON.includes(willBeSeen);
  });
  if (replyTo !== null || behind.length === 0) return held;
  const sent = await deps.store.readDeliveries(messageId);
  for (const { to } of behind) {
    const own = sent.find(({ recipient }) => recipient === to);
    if (!own) continue;
    const lane = { kind: "lanes", perSender: LIMITS.messagesPerRead, from: own.from } as const;
    const { window, moment } = await deps.store.readMailbox(to, lane);
    const older = window.deliveries.filter(({ seq }) => seq < own.seq).map((delivery) => settled(delivery, moment));
    if (older.some((delivery) => isLive(delivery) && !isReady(delivery, moment))) held.add(to);
  }
  return held;
}

export function asHeldBack(receipt: DeliveryReceipt, held: ReadonlySet<AgentId>): DeliveryReceipt {
  return held.has(receipt.to) ? { ...receipt, willBeSeen: "unknown" } : receipt;
}
