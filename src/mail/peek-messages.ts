/** Looking at mail without taking it: a read, which derives what time has done and writes nothing. */

import type { AgentId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import type { Delivery, DeliveryState } from "../core/mail-records.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { decodeAgentId, decodeInteger } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { givenFor } from "../engine/evidence.ts";
import type { MailWindow } from "../engine/ports/mail-store.ts";
import { type Caller, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import { countUnread, refuseAhead } from "./mailbox-reads.ts";
import { isWaitedFor } from "./rules/ask.ts";
import { isUnread, settled } from "./rules/delivery.ts";
import { unread } from "./rules/mailbox.ts";
import type { ReceivedMessage } from "./rules/message.ts";
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

interface PeekedMessage extends ReceivedMessage {
  readonly state: DeliveryState;
}

export interface Peeked {
  readonly count: number;
  readonly messages: readonly PeekedMessage[];
  readonly remaining: number;
  /** More of the same kind lies behind the cursor. */
  readonly hasMore: boolean;
  readonly cursorDeliverySeq: number;
}

export async function peekMessages(deps: Deps, caller: Caller, input: PeekMessagesInput): Promise<Peeked | Refusal> {
  const most = LIMITS.messagesPerRead;
  const limit = decodeInteger("limit", input.limit ?? most, { min: 1, max: most });
  if (isRefusal(limit)) return limit;
  const seq = decodeInteger("after", input.afterDeliverySeq ?? 0, { min: 0, max: Number.MAX_SAFE_INTEGER });
  if (isRefusal(seq)) return seq;
  const named = input.from === undefined ? null : decodeAgentId("from", input.from);
  if (isRefusal(named)) return named;
  const from = named && (await deps.store.resolveAlias(named));
  const liveOnly = input.liveOnly ?? input.afterDeliverySeq === undefined;
  const answer = await look(deps, caller, { limit, seq, from, liveOnly });
  return (answer.count === 0 ? await refuseAhead(deps, caller, seq) : null) ?? answer;
}

interface Peek {
  readonly limit: number;
  readonly seq: number;
  readonly from: AgentId | null;
  readonly liveOnly: boolean;
}

/**
 * Reads on until there is one more than is shown, because what is left out must not hide what is wanted: other senders'
 * mail, what has ended, and what was said in a history that is forgotten by now.
 */
async function look(deps: Deps, caller: Caller, peek: Peek): Promise<Peeked> {
  const { limit, from, liveOnly } = peek;
  const found: PeekedMessage[] = [];
  const page = limit + 1;
  for (let seq = peek.seq; ; ) {
    const wanted: MailWindow = liveOnly
      ? { kind: "live", limit: page, after: seq }
      : { kind: "after", limit: page, seq };
    const { window, moment } = await deps.store.readMailbox(caller.agentId, wanted);
    const passing = window.deliveries
      .map((delivery) => settled(delivery, moment))
      .filter((delivery) => (from === null || delivery.from === from) && (!liveOnly || isUnread(delivery)));
    const given = givenFor(deps, caller, moment, NO_EVIDENCE);
    const asks = window.asks.filter((ask) => isWaitedFor(ask, given));
    found.push(...withStates(await withBodies(deps, passing, asks), passing));
    seq = window.deliveries.at(-1)?.seq ?? seq;
    if (found.length <= limit && window.deliveries.length === page) continue;
    const messages = found.slice(0, limit);
    const hasMore = found.length > limit;
    const mayBeMore = liveOnly && unread(window.box) > messages.length;
    const remaining = mayBeMore ? Math.max(0, (await countUnread(deps, caller, null)) - messages.length) : 0;
    const cursorDeliverySeq = (hasMore && messages.at(-1)?.deliverySeq) || seq;
    return { count: messages.length, messages, remaining, hasMore, cursorDeliverySeq };
  }
}

function withStates(messages: readonly ReceivedMessage[], deliveries: readonly Delivery[]): Peeked["messages"] {
  const states = new Map(deliveries.map((delivery) => [delivery.seq, delivery.state]));
  return messages.map((message) => ({ ...message, state: states.get(message.deliverySeq) as DeliveryState }));
}
