/**
 * An ask: a message whose sender waits for the reply.
 *
 *   waiting ──▶ answered     its own call took the reply
 *      ├──────▶ timed_out    nobody replied in time
 *      └──────▶ cancelled    the asker gave up
 *
 * It ends once. While it waits, no other door may take its reply. After any other end than an answer the question
 * stays open: a late reply comes by the ordinary doors, and an asker that asks again under the same id waits again. A
 * waiting ask whose time is over, or whose process is gone, waits no more, whether or not that is recorded yet.
 */

import type { AgentId } from "../../core/ids.ts";
import type { Ask, Delivery } from "../../core/mail-records.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { hasPassed } from "../../core/time.ts";
import { verdictOf } from "../../session/rules/aliveness.ts";
import type { Given } from "../../session/rules/decision-input.ts";

export function isWaitedFor(ask: Ask, given: Given): boolean {
  return (
    ask.state === "waiting" && !hasPassed(ask.until, given.moment.instant) && verdictOf(ask.caller, given) !== "gone"
  );
}

export function isReplyTo(ask: Ask, delivery: Delivery): boolean {
  if (delivery.recipient !== ask.asker || delivery.from !== ask.peer) return false;
  if (delivery.replyTo !== null || ask.afterSeq === null) return delivery.replyTo === ask.requestId;
  return delivery.seq > ask.afterSeq;
}

/** The call that asks has taken it, and has it still or has shown it. */
export function isTakenByAsk({ attempts, state }: Delivery): boolean {
  return attempts.at(-1)?.transport === "ask" && (state === "in_flight" || state === "acked");
}

/**
 * Whether the asker had stopped waiting when this reply came to it. What else is said about an answered question is not
 * late, unless it is the very reply that its asker took and did not show.
 */
export function isLateFor(ask: Ask, delivery: Delivery): boolean {
  if (delivery.replyTo !== ask.requestId || !isReplyTo(ask, delivery) || isTakenByAsk(delivery)) return false;
  return ask.state !== "answered" || ask.replyId === delivery.messageId;
}

/** The circle of agents that would wait for each other if `asker` asked `peer` now; null when there is none. */
export function circleOf(asks: readonly Ask[], given: Given, asker: AgentId, peer: AgentId): readonly AgentId[] | null {
  const waitsFor = (agentId: AgentId) =>
    asks.filter((ask) => ask.asker === agentId && isWaitedFor(ask, given)).map((ask) => ask.peer);
  const seen = new Set<AgentId>();
  const search = (path: readonly AgentId[]): readonly AgentId[] | null => {
    const last = path.at(-1) as AgentId;
    if (last === asker) return path;
    if (seen.has(last)) return null;
    seen.add(last);
    for (const next of waitsFor(last)) {
      const found = search([...path, next]);
      if (found) return found;
    }
    return null;
  };
  const path = search([peer]);
  return path && [asker, ...path];
}

export function wouldDeadlock(path: readonly AgentId[]): Refusal<"would_deadlock"> {
  return refuse(
    "would_deadlock",
    `The agents would wait for each other: ${path.join(" → ")}.`,
    [
      "First answer the question that you were asked, or send a message without waiting for an answer: ",
      { do: "send_message" },
    ],
    { path: [...path] },
  );
}
