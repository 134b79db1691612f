/** Where a message comes from: what it answers, what it forwards, and how often it has been passed on. */

import type { EventId } from "../../core/ids.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import type { Room } from "../../room/rules/room.ts";
import type { Caller, Given } from "../../session/rules/decision-input.ts";
import type { CitedMessage } from "./message.ts";
import { messageNotFound } from "./message-not-found.ts";

export interface Provenance {
  /** Null begins a new chain. */
  readonly chainId: string | null;
  readonly hops: number;
  /** The ask that a reply answers. */
  readonly requestId: string | null;
}

interface Citing {
  readonly replyTo: EventId | null;
  readonly sourceMessageId: EventId | null;
}

export type ProvenanceRefusal = "message_not_found" | "not_your_message" | "hops_exhausted";

export function originOf({ isPerson }: Caller): "peer" | "human" {
  return isPerson ? "human" : "peer";
}

export function provenanceOf(
  { policy }: Room,
  given: Given,
  cited: ReadonlyMap<string, CitedMessage>,
  { replyTo, sourceMessageId }: Citing,
): Provenance | Refusal<ProvenanceRefusal> {
  const answered = replyTo === null ? null : cited.get(replyTo);
  if (answered === undefined) return messageNotFound(replyTo as string);
  if (answered && !answered.recipients.includes(given.caller.agentId)) return notYours(replyTo as string);
  const source = sourceMessageId === null ? null : cited.get(sourceMessageId);
  if (source === undefined) return messageNotFound(sourceMessageId as string);
  const hops = source ? source.message.payload.hops + 1 : 0;
  if (hops > policy.hopsMax) return exhausted(hops, policy.hopsMax);
  return {
    chainId: (source ?? answered)?.message.payload.chainId ?? null,
    hops,
    requestId: answered?.message.payload.requestId ?? null,
  };
}

function notYours(messageId: string): Refusal<"not_your_message"> {
  return refuse(
    "not_your_message",
    `The message ${JSON.stringify(messageId)} was not sent to you.`,
    "Answer a message that you received, or send a new one.",
  );
}

function exhausted(hops: number, limit: number): Refusal<"hops_exhausted"> {
  return refuse(
    "hops_exhausted",
    `This message has been forwarded ${limit} times, which is as often as this room allows.`,
    "Do not pass it on. If it still matters, say so in your own words.",
    { hops, limit },
  );
}
