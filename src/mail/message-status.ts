/** What became of messages: reads that derive what time has done, and write nothing. */
import { idOf } from "../core/field.ts";
import type { AgentId, EventId, RoomId } from "../core/ids.ts";
import type { Attempt, Delivery, DeliveryState, StoredMailbox } from "../core/mail-records.ts";
import type { Refusal } from "../core/refusal.ts";
import { type Moment, wallTimeOf } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { operation } from "../engine/operation.ts";
import { unconfirmedSince } from "./rules/batch.ts";
import { settled } from "./rules/delivery.ts";
import { messageNotFound } from "./rules/message-not-found.ts";
import type { WakeStatus } from "./rules/wake-status.ts";
import { showedLifeSince } from "./sign-of-life.ts";

export interface DeliveryStatus {
  readonly to: AgentId;
  readonly deliverySeq: number;
  readonly state: DeliveryState;
  readonly attempts: readonly Attempt[];
  readonly nextAttemptAt?: string;
  readonly expiresAt: string;
  readonly reason?: string;
  readonly requeuedFrom?: number;
  /** A dead letter that its recipient has purged. */
  readonly purged?: true;
  /** While it is unread: its recipient was woken for it, and has shown a sign of life since, or not yet. */
  readonly wakeStatus?: Extract<WakeStatus, "fired" | "fired_unconfirmed">;
}

export interface MessageStatus {
  readonly messageId: EventId;
  readonly from: AgentId | null;
  readonly createdAt: string;
  readonly deliveries: readonly DeliveryStatus[];
}

/** Messages are not private, so a reader without a name may ask, too. */
export const messageStatus = operation({
  name: "message_status",
  summary: "What became of a message: its state and every attempt for each recipient.",
  needs: { store: "read", caller: "anyone", room: "none" },
  input: { messageId: idOf("message") },
  refusals: ["message_not_found"],
  mcp: "gateway",
  run: ({ deps }, { messageId }) => statusOfMessage(deps, messageId),
});

async function statusOfMessage(deps: Deps, messageId: EventId): Promise<MessageStatus | Refusal<"message_not_found">> {
  const [message] = await deps.store.readMessages([messageId]);
  if (!message) return messageNotFound(messageId);
  const deliveries = await deps.store.readDeliveries([messageId]);
  return {
    messageId: message.eventId,
    from: message.fromAgentId,
    createdAt: message.createdAt,
    deliveries: await Promise.all(deliveries.map((delivery) => statusNow(deps, message.roomId, delivery))),
  };
}

async function statusNow(deps: Deps, roomId: RoomId, delivery: Delivery): Promise<DeliveryStatus> {
  // By the store's clock, which comes with whatever is read of a mailbox.
  const { window, moment } = await deps.store.readMailbox(delivery.recipient, { kind: "messages", ids: [] });
  const now = settled(delivery, moment);
  const wakeStatus = now.state === "pending" ? await wakeOf(deps, roomId, now, window.box, moment) : null;
  return { ...statusOf(now, moment), ...(wakeStatus && { wakeStatus }) };
}

/** What is unread was part of every batch up to the newest wake. */
async function wakeOf(deps: Deps, roomId: RoomId, { seq, recipient }: Delivery, box: StoredMailbox, moment: Moment) {
  if (box.wokenSeq < seq) return null;
  if (box.wakeOutcome === "fired") return "fired";
  const since = unconfirmedSince(box);
  if (since === null) return null;
  const snapshot = await deps.store.readRoom(roomId);
  const woken = snapshot && { project: snapshot.room.project, owner: recipient };
  return woken && (await showedLifeSince(deps, woken, since, moment)) ? "fired" : "fired_unconfirmed";
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
