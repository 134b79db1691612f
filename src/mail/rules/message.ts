/** A message as it stands in the log, and as its reader gets it. */

import type { EventOf } from "../../core/event.ts";
import type { AgentId, EventId, Handle, RoomId } from "../../core/ids.ts";
import type { Delivery } from "../../core/mail-records.ts";
import { attemptOf, wasShownBefore } from "./delivery.ts";

export type MessageSent = EventOf<"message_sent">;

/** A message that another one refers to, with its recipients. */
export interface CitedMessage {
  readonly message: MessageSent;
  readonly recipients: readonly AgentId[];
}

export interface ReceivedMessage {
  readonly messageId: EventId;
  readonly from: AgentId;
  /** The reader alone, or everybody in the room. */
  readonly to: AgentId | "room";
  /** The room that it was sent in; its path is null when the room is gone. */
  readonly room: { readonly id: RoomId; readonly path: string | null };
  readonly handle: Handle | null;
  readonly harness: string;
  readonly origin: "peer" | "human" | "system";
  readonly fromSessionId?: string;
  readonly body: string;
  readonly bodyBytes: number;
  readonly deliveryHint: "normal" | "interrupt";
  readonly kind?: string;
  readonly requestId?: string;
  readonly replyTo?: string;
  /** It answers a question of the reader's own, who has stopped waiting for it. */
  readonly late?: true;
  /** A hook showed it before, and its turn broke off before the model went on. */
  readonly shownBefore?: true;
  readonly createdAt: string;
  readonly attempt: number;
  readonly deliverySeq: number;
}

/** What a message alone does not tell its reader. */
export interface Reception {
  readonly roomPath: string | null;
  readonly isLate: boolean;
}

export function receivedMessage(
  delivery: Delivery,
  { payload, createdAt, toAgentId }: MessageSent,
  { roomPath, isLate }: Reception,
): ReceivedMessage {
  const { origin, fromSessionId, body, bodyBytes, deliveryHint, kind, requestId, replyTo } = payload;
  return {
    messageId: delivery.messageId,
    from: delivery.from,
    to: toAgentId === null ? "room" : delivery.recipient,
    room: { id: delivery.roomId, path: roomPath },
    handle: delivery.fromHandle,
    harness: delivery.fromHarness,
    origin,
    ...(fromSessionId === undefined ? {} : { fromSessionId }),
    body,
    bodyBytes,
    deliveryHint,
    ...(kind === undefined ? {} : { kind }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(isLate ? { late: true } : {}),
    ...(wasShownBefore(delivery) ? { shownBefore: true } : {}),
    createdAt,
    attempt: attemptOf(delivery),
    deliverySeq: delivery.seq,
  };
}
