/** The messages of the mailbox protocol as they cross the border: snake_case out, either letter case in. */
import { type AgentId, asAgentId, isMsgId } from "../../core/ids.ts";
import { LIMITS } from "../../core/limits.ts";
import { invalidInput, isRefusal, type Refusal } from "../../core/refusal.ts";
import { decodeId, decodeInteger } from "../../engine/decode.ts";
import type { EnqueueInput } from "../../mail/mailbox-protocol/enqueue.ts";
import type { MailboxMessage, MailboxState } from "../../mail/mailbox-protocol/mailbox-message.ts";
import type { DeadMessage, PeekedMessage } from "../../mail/mailbox-protocol/peek.ts";

export interface Message {
  msg_id: string;
  from: string;
  to: string;
  payload: string;
  /** Unix time in seconds at which the sender made the message. */
  created_at: number;
  /** 0 is the first attempt. */
  attempt: number;
}

export type MessageState = MailboxState;

export interface MessageSummary {
  msg_id: string;
  from: string;
  created_at: number;
  attempt: number;
  state: MessageState;
}

export interface EnqueueAck {
  msg_id: string;
  /** False when the sender's msg_id was known already: nothing was done. */
  queued: boolean;
  pending: number;
}

export interface DeadLetterEntry extends Message {
  reason: string;
  /** Unix time in seconds. */
  failed_at: number;
  /** How many attempts were made. */
  attempts: number;
}

/** A message to enqueue. `created_at` is now when it is left out; `attempt` is not the sender's to say. */
export type NewMessage = { from: string; to: string; payload: string } & ({ msg_id: string } | { msgId: string }) & {
    created_at?: number;
    createdAt?: number;
    attempt?: number;
  };

const ATTEMPTS = { min: 0, max: 2 ** 32 - 1 };
const SECONDS = { min: 0, max: Number.MAX_SAFE_INTEGER };

export function decodeMessage(given: unknown): EnqueueInput | Refusal {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return invalidInput("message", "The message is not an object.", "Give msg_id, from, to, payload and created_at.");
  }
  const fields = given as Record<string, unknown>;
  const differing = caseProblem(fields, "msg_id", "msgId") ?? caseProblem(fields, "created_at", "createdAt");
  if (differing) return differing;
  const msgId = decodeMsgId(fields["msg_id"] ?? fields["msgId"]);
  if (isRefusal(msgId)) return msgId;
  const from = decodeSession("from", fields["from"]);
  if (isRefusal(from)) return from;
  const to = decodeSession("to", fields["to"]);
  if (isRefusal(to)) return to;
  const { payload } = fields;
  if (typeof payload !== "string") return invalidInput("payload", "payload is not text.", "Give payload as text.");
  const createdAtSecs = decodeOptional("created_at", fields["created_at"] ?? fields["createdAt"], SECONDS);
  if (isRefusal(createdAtSecs)) return createdAtSecs;
  const attempt = decodeOptional("attempt", fields["attempt"], ATTEMPTS);
  return isRefusal(attempt) ? attempt : { msgId, from, to, payload, createdAtSecs };
}

/** A field may be given in both letter cases, if they agree. */
function caseProblem(fields: Record<string, unknown>, snake: string, camel: string): Refusal | null {
  const [one, other] = [fields[snake], fields[camel]];
  if (one === undefined || other === undefined || one === other) return null;
  return invalidInput(snake, `${snake} and ${camel} differ.`, `Give ${snake} once.`);
}

export function decodeMsgId(value: unknown): string | Refusal {
  if (isMsgId(value)) return value;
  return invalidInput(
    "msg_id",
    `msg_id is not an id: 1 to ${LIMITS.msgIdCharacters} visible characters without spaces.`,
    "Give an id that no other message has, such as {from}:{nanoseconds}.",
  );
}

/** Any id will do, also one that looks like a path: it is never used as one. */
export function decodeSession(field: string, value: unknown): AgentId | Refusal {
  if (value === "room") {
    return invalidInput(field, `${field} is "room", which means everybody in a room.`, "Name one session.");
  }
  const id = decodeId(field, value);
  return isRefusal(id) ? id : asAgentId(id);
}

/** Which message an answer is about, where its id and the handle do not tell. */
export interface Which {
  /** As dequeue told it. */
  attempt?: number;
  /** The sender. */
  from?: string;
}

/** A bare number is an attempt. */
export function decodeWhich(
  value: unknown,
): { readonly attempt: number | null; readonly from: AgentId | null } | Refusal {
  const fields = typeof value === "object" && value !== null ? (value as Which) : { attempt: value };
  const attempt = decodeOptional("attempt", fields.attempt, ATTEMPTS);
  if (isRefusal(attempt)) return attempt;
  const from = "from" in fields && fields.from !== undefined ? decodeSession("from", fields.from) : null;
  return isRefusal(from) ? from : { attempt, from };
}

function decodeOptional(field: string, value: unknown, bounds: typeof ATTEMPTS): number | null | Refusal {
  return value === undefined ? null : decodeInteger(field, value, bounds);
}

export function messageView({ msgId, from, to, payload, createdAtSecs, attempt }: MailboxMessage): Message {
  return { msg_id: msgId, from, to, payload, created_at: createdAtSecs, attempt };
}

export function summaryView({ msgId, from, createdAtSecs, attempt, state }: PeekedMessage): MessageSummary {
  return { msg_id: msgId, from, created_at: createdAtSecs, attempt, state };
}

export function deadLetterView(dead: DeadMessage): DeadLetterEntry {
  return { ...messageView(dead), reason: dead.reason, failed_at: dead.failedAtSecs, attempts: dead.attempts };
}
