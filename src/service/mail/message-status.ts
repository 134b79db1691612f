/** What became of messages: reads that derive what time has done, and write nothing. */
import { type AgentId, asAgentId, asEventId, type EventId } from "../../domain/ids.ts";
import { type Attempt, type Delivery, type DeliveryState, settled } from "../../domain/mail/delivery.ts";
import { messageNotFound } from "../../domain/mail/message-not-found.ts";
import { isRefusal, type Refusal } from "../../domain/refusal.ts";
import { type Moment, wallTimeOf } from "../../domain/time.ts";
import { decodeId } from "../decode.ts";
import type { Deps } from "../deps.ts";

export interface DeliveryStatus {
  readonly to: AgentId;
  readonly deliverySeq: number;
  readonly state: DeliveryState;
  readonly attempts: readonly Attempt[];
  readonly nextAttemptAt?: string;
  readonly expiresAt: string;
  readonly reason?: string;
  readonly requeuedFrom?: number;
  /** A dead letter that its recipient has let go of. */
  readonly purged?: true;
}

export interface MessageStatus {
  readonly messageId: EventId;
  readonly from: AgentId | null;
  readonly createdAt: string;
  readonly deliveries: readonly DeliveryStatus[];
}

/** Messages are not private, so anybody may ask, also somebody whom nobody can name. */
export async function messageStatus(
  deps: Deps,
  input: { readonly messageId: string },
): Promise<MessageStatus | Refusal> {
  const messageId = decodeId("message_id", input.messageId);
  if (isRefusal(messageId)) return messageId;
  const [message] = await deps.store.readMessages([asEventId(messageId)]);
  if (!message) return messageNotFound(messageId);
  const deliveries = await deps.store.readDeliveries(asEventId(messageId));
  const [to = asAgentId("nobody")] = deliveries.map(({ recipient }) => recipient);
  // By the store's clock, which comes with whatever is read of a mailbox.
  const { moment } = await deps.store.readMailbox(to, { kind: "messages", ids: [] });
  return {
    messageId: message.eventId,
    from: message.fromAgentId,
    createdAt: message.createdAt,
    deliveries: deliveries.map((delivery) => statusOf(settled(delivery, moment), moment)),
  };
}

export function statusOf(delivery: Delivery, moment: Moment): DeliveryStatus {
  const { recipient, seq, state, attempts, due, expiresAt, reason, requeuedFrom, purged } = delivery;
  return {
    to: recipient,
    deliverySeq: seq,
    state,
    attempts: attempts.map(toldAttempt),
    ...(state === "pending" && due !== null ? { nextAttemptAt: wallTimeOf(due, moment) } : {}),
    expiresAt,
    ...(reason === null ? {} : { reason }),
    ...(requeuedFrom === null ? {} : { requeuedFrom }),
    ...(purged ? { purged } : {}),
  };
}

/** The harness's own name for a turn tells a sender nothing. */
function toldAttempt({ n, transport, at, outcome, reason }: Attempt): Attempt {
  return { n, transport, at, outcome, ...(reason === undefined ? {} : { reason }) };
}
