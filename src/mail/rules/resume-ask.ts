/**
 * An ask that is made once more: a call that has died or run out of time is repeated, or two calls ask the same.
 *
 * Whatever has answered it counts, through whichever door it came; otherwise it waits again, and no other door may take
 * its reply. It waits as long as the most patient of its calls.
 */

import type { EventId } from "../../core/ids.ts";
import type { Ask, Delivery } from "../../core/mail-records.ts";
import type { ProcessRef } from "../../core/process.ts";
import { after } from "../../core/time.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { isReplyTo, isWaitedFor } from "./ask.ts";
import { isLive, isReady, taken } from "./delivery.ts";
import { withAsk, withDelivery } from "./mail-change.ts";
import { type MailboxWindow, type MailDecision, settleMail } from "./take.ts";

/** What has answered an ask before. */
export interface EarlierReply {
  readonly messageId: EventId;
  /** Null where it is not in sight any more. */
  readonly delivery: Delivery | null;
}

interface Resuming {
  readonly requestId: EventId;
  readonly forMs: number;
  readonly callerProcess: ProcessRef | null;
}

/** Null where nobody has answered yet. A reply that nobody has been shown is taken. */
export function resumeAsk(
  window: MailboxWindow,
  given: Given,
  { requestId, forMs, callerProcess }: Resuming,
): MailDecision<EarlierReply | null> {
  const { mail } = settleMail(window, given);
  const ask = window.asks.find((known) => known.requestId === requestId);
  if (!ask) return { mail, answer: null };
  const found = window.deliveries.map((delivery) => mail.deliveries.get(delivery.seq) ?? delivery);
  const reply = found.find((delivery) => isReplyTo(ask, delivery) && answers(ask, delivery));
  if (reply) {
    const now = isReady(reply, given.moment) ? taken(reply, given.moment, "ask") : reply;
    const answered: Ask = { ...ask, state: "answered", replyId: reply.messageId };
    const written = withDelivery(mail, reply, now);
    const isNews = ask.state !== "answered";
    return {
      mail: isNews ? withAsk(written, answered) : written,
      answer: { messageId: reply.messageId, delivery: now },
    };
  }
  if (ask.replyId !== null) return { mail, answer: { messageId: ask.replyId, delivery: null } };
  return { mail: withAsk(mail, waitingAgain(ask, given, { requestId, forMs, callerProcess })), answer: null };
}

/** What has expired or was given up has answered nothing. */
function answers({ replyId }: Ask, delivery: Delivery): boolean {
  return (replyId ?? delivery.messageId) === delivery.messageId && (isLive(delivery) || delivery.state === "acked");
}

function waitingAgain(ask: Ask, given: Given, { forMs, callerProcess }: Resuming): Ask {
  const until = after(given.moment.instant, forMs);
  const outlasts = isWaitedFor(ask, given) && ask.until.epoch === until.epoch && ask.until.ms > until.ms;
  return outlasts ? ask : { ...ask, state: "waiting", until, caller: callerProcess };
}
