/** Looking at mail without taking it: a read, which derives what time has done and writes nothing. */
import { type Caller, NO_EVIDENCE } from "../../domain/given.ts";
import { type AgentId, asAgentId } from "../../domain/ids.ts";
import { LIMITS } from "../../domain/limits.ts";
import { isWaitedFor } from "../../domain/mail/ask.ts";
import { type Delivery, type DeliveryState, isLive, settled } from "../../domain/mail/delivery.ts";
import { type Mailbox, unread } from "../../domain/mail/mailbox.ts";
import type { ReceivedMessage } from "../../domain/mail/message.ts";
import { isRefusal, type Refusal } from "../../domain/refusal.ts";
import type { MailWindow } from "../../ports/mail-store.ts";
import { decodeInteger } from "../decode.ts";
import type { Deps } from "../deps.ts";
import { givenFor } from "../evidence.ts";
import { withBodies } from "./take-messages.ts";

export interface PeekMessagesInput {
  readonly limit?: number;
  /** Everything after this number, in whatever state; without it the live mail. */
  readonly afterDeliverySeq?: number;
  /** Without what was read or has ended; so by default when there is no number. */
  readonly liveOnly?: boolean;
  /** Only from this agent. */
  readonly from?: string;
}

export interface Peeked {
  readonly count: number;
  readonly messages: readonly (ReceivedMessage & { readonly state: DeliveryState })[];
  readonly remaining: number;
  readonly cursorDeliverySeq: number;
}

export async function peekMessages(deps: Deps, caller: Caller, input: PeekMessagesInput): Promise<Peeked | Refusal> {
  const most = LIMITS.messagesPerRead;
  const limit = decodeInteger("limit", input.limit ?? most, { min: 1, max: most });
  if (isRefusal(limit)) return limit;
  const seq = decodeInteger("after", input.afterDeliverySeq ?? 0, { min: 0, max: Number.MAX_SAFE_INTEGER });
  if (isRefusal(seq)) return seq;
  const from = input.from === undefined ? null : await deps.store.resolveAlias(asAgentId(input.from));
  const liveOnly = input.liveOnly ?? input.afterDeliverySeq === undefined;
  return look(deps, caller, { limit, seq, from, liveOnly });
}

interface Peek {
  readonly limit: number;
  readonly seq: number;
  readonly from: AgentId | null;
  readonly liveOnly: boolean;
}

/** Reads on until there is enough, because what is left out must not hide what is wanted. */
async function look(deps: Deps, caller: Caller, peek: Peek): Promise<Peeked> {
  const { limit, from, liveOnly } = peek;
  const messages: Peeked["messages"][number][] = [];
  let seq = peek.seq;
  for (;;) {
    const wanted: MailWindow = liveOnly ? { kind: "live", limit, after: seq } : { kind: "after", limit, seq };
    const { window, moment } = await deps.store.readMailbox(caller.agentId, wanted);
    const given = givenFor(deps, caller, moment, NO_EVIDENCE);
    const asks = window.asks.filter((ask) => isWaitedFor(ask, given));
    const shown = window.deliveries
      .map((delivery) => settled(delivery, moment))
      .filter((delivery) => (from === null || delivery.from === from) && (!liveOnly || isLive(delivery)))
      .slice(0, limit - messages.length);
    messages.push(...withStates(await withBodies(deps, shown, asks), shown));
    const isEnough = messages.length >= limit;
    seq = (isEnough ? shown : window.deliveries).at(-1)?.seq ?? seq;
    if (isEnough || window.deliveries.length < limit) return peeked(messages, seq, window.box, peek);
  }
}

function withStates(messages: readonly ReceivedMessage[], deliveries: readonly Delivery[]): Peeked["messages"] {
  const states = new Map(deliveries.map((delivery) => [delivery.seq, delivery.state]));
  return messages.map((message) => ({ ...message, state: states.get(message.deliverySeq) as DeliveryState }));
}

function peeked(messages: Peeked["messages"], seq: number, box: Mailbox, { liveOnly }: Peek): Peeked {
  const remaining = liveOnly ? Math.max(0, unread(box) - messages.length) : 0;
  return { count: messages.length, messages, remaining, cursorDeliverySeq: seq };
}
