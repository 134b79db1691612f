/** What became of messages: reads that derive what time has done, and write nothing. */
import type { Caller } from "../../domain/given.ts";
import { type AgentId, asEventId, type EventId } from "../../domain/ids.ts";
import { LIMITS } from "../../domain/limits.ts";
import { type Attempt, type Delivery, type DeliveryState, isLive, settled } from "../../domain/mail/delivery.ts";
import type { DeliveryCounts } from "../../domain/mail/mailbox.ts";
import type { ReceivedMessage } from "../../domain/mail/message.ts";
import { isRefusal, type Refusal, refuse } from "../../domain/refusal.ts";
import { type Moment, wallTimeOf } from "../../domain/time.ts";
import type { MailWindow } from "../../ports/mail-store.ts";
import { decodeId, decodeInteger } from "../decode.ts";
import type { Deps } from "../deps.ts";
import { withBodies } from "./take-messages.ts";

export interface DeliveryStatus {
  readonly to: AgentId;
  readonly deliverySeq: number;
  readonly state: DeliveryState;
  readonly attempts: readonly Attempt[];
  readonly nextAttemptAt?: string;
  readonly expiresAt: string;
  readonly reason?: string;
  readonly requeuedFrom?: number;
}

export interface MessageStatus {
  readonly messageId: EventId;
  readonly from: AgentId | null;
  readonly createdAt: string;
  readonly deliveries: readonly DeliveryStatus[];
}

export async function messageStatus(
  deps: Deps,
  caller: Caller,
  input: { readonly messageId: string },
): Promise<MessageStatus | Refusal> {
  const messageId = decodeId("message_id", input.messageId);
  if (isRefusal(messageId)) return messageId;
  const [cited] = await deps.store.readMessages([asEventId(messageId)]);
  if (!cited) return messageNotFound(messageId);
  const { moment } = await deps.store.readMailbox(caller.agentId, { kind: "messages", ids: [] });
  const deliveries = await deps.store.readDeliveries(asEventId(messageId));
  return {
    messageId: cited.message.eventId,
    from: cited.message.fromAgentId,
    createdAt: cited.message.createdAt,
    deliveries: deliveries.map((delivery) => statusOf(settled(delivery, moment), moment)),
  };
}

export function statusOf(delivery: Delivery, moment: Moment): DeliveryStatus {
  const { recipient, seq, state, attempts, due, expiresAt, reason, requeuedFrom } = delivery;
  return {
    to: recipient,
    deliverySeq: seq,
    state,
    attempts,
    ...(state === "pending" && due !== null ? { nextAttemptAt: wallTimeOf(due, moment) } : {}),
    expiresAt,
    ...(reason === null ? {} : { reason }),
    ...(requeuedFrom === null ? {} : { requeuedFrom }),
  };
}

export function messageNotFound(messageId: string): Refusal {
  return refuse(
    "message_not_found",
    `There is no message ${JSON.stringify(messageId)}.`,
    "Give the message_id exactly as it was shown.",
  );
}

export interface Peeked {
  readonly count: number;
  readonly messages: readonly (ReceivedMessage & { readonly state: DeliveryState })[];
  readonly remaining: number;
  readonly cursorDeliverySeq: number;
}

/** Looks without taking: the live mail, or everything after a number that was seen before. */
export async function peekMessages(
  deps: Deps,
  caller: Caller,
  input: { readonly limit?: number; readonly afterDeliverySeq?: number },
): Promise<Peeked | Refusal> {
  const most = LIMITS.messagesPerRead;
  const limit = decodeInteger("limit", input.limit ?? most, { min: 1, max: most });
  if (isRefusal(limit)) return limit;
  const seq = decodeInteger("after", input.afterDeliverySeq ?? 0, { min: 0, max: Number.MAX_SAFE_INTEGER });
  if (isRefusal(seq)) return seq;
  const look: MailWindow =
    input.afterDeliverySeq === undefined ? { kind: "live", limit } : { kind: "after", seq, limit };
  const { window, moment } = await deps.store.readMailbox(caller.agentId, look);
  const now = window.deliveries.map((delivery) => settled(delivery, moment));
  const shown = look.kind === "live" ? now.filter(isLive) : now;
  const states = new Map(shown.map((delivery) => [delivery.seq, delivery.state]));
  const messages = (await withBodies(deps, shown)).map((message) => ({
    ...message,
    state: states.get(message.deliverySeq) as DeliveryState,
  }));
  const { pending, in_flight } = window.box.counts;
  return {
    count: messages.length,
    messages,
    remaining: look.kind === "live" ? Math.max(0, pending + in_flight - window.deliveries.length) : 0,
    cursorDeliverySeq: window.deliveries.at(-1)?.seq ?? seq,
  };
}

/** How many messages are where; and how many the caller has not read. */
export async function countMessages(deps: Deps, caller: Caller): Promise<DeliveryCounts> {
  const { window } = await deps.store.readMailbox(caller.agentId, { kind: "messages", ids: [] });
  return window.box.counts;
}
