/** Mailboxes, deliveries, asks and remembered sends as rows, there and back. */

import type { AgentId, EventId, Handle, RoomId } from "../../core/ids.ts";
import {
  type Allowance,
  ASK_STATES,
  type Ask,
  ATTEMPT_OUTCOMES,
  type Attempt,
  DELIVERY_STATES,
  type Delivery,
  type DeliveryReceipt,
  type Mailbox,
  type Receiver,
  type Sent,
  type SentRecord,
  WAKE_OUTCOMES,
  type WakeClaim,
} from "../../core/mail-records.ts";
import type { Instant } from "../../core/time.ts";
import { isShown } from "../../mail/rules/delivery.ts";
import type { CitedMessage, Message } from "../../mail/rules/message.ts";
import { bit, corrupt, finite, idOf, json, list, nullable, oneOf, optional, shape, text, whole } from "./decode.ts";
import { processRef } from "./documents.ts";
import { toStoredJson } from "./json.ts";
import { Columns, readEvent } from "./read-rows.ts";
import type { RowValues, SqlRow } from "./statement.ts";
import { instantRow, jsonOrNull } from "./write-rows.ts";

const agentId = idOf<AgentId>();
const eventId = idOf<EventId>();

const instant = shape<Instant>({ epoch: text, ms: finite });
const receivers = list(
  shape<Receiver>({ process: processRef, harness: optional(processRef), until: instant, from: optional(agentId) }),
);
const wakeClaim = shape<WakeClaim>({ process: processRef, until: instant, before: whole });
const attempts = list(
  shape<Attempt>({
    n: whole,
    transport: text,
    at: text,
    outcome: oneOf(ATTEMPT_OUTCOMES),
    reason: optional(text),
    shownIn: optional(nullable(text)),
  }),
);
const receipt = shape<DeliveryReceipt>({
  to: agentId,
  state: oneOf(DELIVERY_STATES),
  willBeSeen: oneOf(["now", "next_tool_call", "turn_end", "on_wake", "when_it_returns", "unknown"]),
});
const sentAnswer = shape<Sent>({ messageId: eventId, eventSeq: whole, createdAt: text, deliveries: list(receipt) });

export function mailboxRow(box: Mailbox): RowValues {
  const {
    agentId: owner,
    counts,
    shown,
    announcedSeq,
    wokenSeq,
    wakeWantedSeq,
    wakeOutcome,
    wakeClaim: claim,
    receivers: known,
    allowance,
  } = box;
  return {
    agent_id: owner,
    ...counts,
    shown,
    announced_seq: announcedSeq,
    woken_seq: wokenSeq,
    wake_wanted_seq: wakeWantedSeq,
    wake_outcome: wakeOutcome,
    wake_claim: jsonOrNull(claim),
    receivers: toStoredJson(known),
    allowance_left: allowance?.left ?? null,
    ...instantRow("allowance", allowance?.at ?? null),
  };
}

export function readMailboxRow(row: SqlRow): Mailbox {
  const columns = new Columns("mailboxes", row);
  return {
    agentId: columns.get("agent_id", agentId),
    counts: {
      pending: columns.get("pending", whole),
      in_flight: columns.get("in_flight", whole),
      acked: columns.get("acked", whole),
      dead_letter: columns.get("dead_letter", whole),
      expired: columns.get("expired", whole),
    },
    shown: columns.get("shown", whole),
    announcedSeq: columns.get("announced_seq", whole),
    wokenSeq: columns.get("woken_seq", whole),
    wakeWantedSeq: columns.get("wake_wanted_seq", whole),
    wakeOutcome: columns.get("wake_outcome", nullable(oneOf(WAKE_OUTCOMES))),
    wakeClaim: columns.get("wake_claim", nullable(json(wakeClaim))),
    receivers: columns.get("receivers", json(receivers)),
    allowance: readAllowance(columns),
  };
}

export function readReceivers(row: SqlRow): readonly Receiver[] {
  return new Columns("mailboxes", row).get("receivers", json(receivers));
}

function readAllowance(columns: Columns): Allowance | null {
  const left = columns.get("allowance_left", nullable(finite));
  const at = columns.instant("allowance");
  if (left !== null && at !== null) return { left, at };
  if (left !== null || at !== null) throw columns.halfThere("allowance");
  return null;
}

export function deliveryRow(delivery: Delivery): RowValues {
  const { terms } = delivery;
  return {
    delivery_seq: delivery.seq,
    recipient: delivery.recipient,
    message_id: delivery.messageId,
    msg_id: delivery.msgId,
    room_id: delivery.roomId,
    event_seq: delivery.eventSeq,
    from_agent_id: delivery.from,
    from_handle: delivery.fromHandle,
    from_harness: delivery.fromHarness,
    body_bytes: delivery.bodyBytes,
    interrupt: delivery.interrupt ? 1 : 0,
    reply_to: delivery.replyTo,
    max_retries: terms.maxRetries,
    base_backoff_ms: terms.baseBackoffMs,
    inflight_timeout_ms: terms.inflightTimeoutMs,
    ...instantRow("expires", delivery.expires),
    expires_at: delivery.expiresAt,
    ...deliveryStateRow(delivery),
  };
}

/** What changes on a delivery's way. */
export function deliveryStateRow(delivery: Delivery): RowValues {
  return {
    state: delivery.state,
    shown: isShown(delivery) ? 1 : 0,
    ...instantRow("due", delivery.due),
    attempts: toStoredJson(delivery.attempts),
    attempts_before: delivery.attemptsBefore,
    requeued_from: delivery.requeuedFrom,
    reason: jsonOrNull(delivery.reason),
    ended_at: delivery.endedAt,
    purged: delivery.purged ? 1 : 0,
  };
}

export function readDelivery(row: SqlRow): Delivery {
  const columns = new Columns("deliveries", row);
  return {
    seq: columns.get("delivery_seq", whole),
    recipient: columns.get("recipient", agentId),
    messageId: columns.get("message_id", eventId),
    msgId: columns.get("msg_id", text),
    roomId: columns.get("room_id", idOf<RoomId>()),
    eventSeq: columns.get("event_seq", whole),
    from: columns.get("from_agent_id", agentId),
    fromHandle: columns.get("from_handle", nullable(idOf<Handle>())),
    fromHarness: columns.get("from_harness", text),
    bodyBytes: columns.get("body_bytes", whole),
    interrupt: columns.get("interrupt", bit),
    replyTo: columns.get("reply_to", nullable(eventId)),
    terms: {
      maxRetries: columns.get("max_retries", whole),
      baseBackoffMs: columns.get("base_backoff_ms", whole),
      inflightTimeoutMs: columns.get("inflight_timeout_ms", whole),
    },
    expires: present(columns, "expires"),
    expiresAt: columns.get("expires_at", text),
    state: columns.get("state", oneOf(DELIVERY_STATES)),
    due: columns.instant("due"),
    attempts: columns.get("attempts", json(attempts)),
    attemptsBefore: columns.get("attempts_before", whole),
    requeuedFrom: columns.get("requeued_from", nullable(whole)),
    reason: columns.get("reason", nullable(json(text))),
    endedAt: columns.get("ended_at", nullable(text)),
    purged: columns.get("purged", bit),
  };
}

function present(columns: Columns, name: string): Instant {
  const value = columns.instant(name);
  if (value === null) throw corrupt(name, "is missing");
  return value;
}

export function askRow(ask: Ask): RowValues {
  return {
    request_id: ask.requestId,
    asker: ask.asker,
    peer: ask.peer,
    state: ask.state,
    ...instantRow("until", ask.until),
    caller: jsonOrNull(ask.caller),
    reply_id: ask.replyId,
    after_seq: ask.afterSeq,
  };
}

export function readAsk(row: SqlRow): Ask {
  const columns = new Columns("asks", row);
  return {
    requestId: columns.get("request_id", eventId),
    asker: columns.get("asker", agentId),
    peer: columns.get("peer", agentId),
    state: columns.get("state", oneOf(ASK_STATES)),
    until: present(columns, "until"),
    caller: columns.get("caller", nullable(json(processRef))),
    replyId: columns.get("reply_id", nullable(eventId)),
    afterSeq: columns.get("after_seq", nullable(whole)),
  };
}

export function sentRow({ sender, msgId, digest, answer }: SentRecord): RowValues {
  return { sender, msg_id: msgId, digest, answer: toStoredJson(answer) };
}

export function readSent(row: SqlRow): SentRecord {
  const columns = new Columns("sent", row);
  return {
    sender: columns.get("sender", agentId),
    msgId: columns.get("msg_id", text),
    digest: columns.get("digest", text),
    answer: columns.get("answer", json(sentAnswer)),
  };
}

export function readMessage(row: SqlRow): Message {
  return readEvent(row) as Message;
}

/** Messages with those they were delivered to. */
export function readCited(messages: readonly SqlRow[], recipients: readonly SqlRow[]): readonly CitedMessage[] {
  const pairs = recipients.map((row) => {
    const columns = new Columns("deliveries", row);
    return { messageId: columns.get("message_id", eventId), recipient: columns.get("recipient", agentId) };
  });
  return messages.map((row) => {
    const message = readMessage(row);
    const mine = pairs.filter(({ messageId }) => messageId === message.eventId);
    return { message, recipients: mine.map(({ recipient }) => recipient) };
  });
}
