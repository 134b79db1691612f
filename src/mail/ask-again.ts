/** Asking the same once more: what has answered it before is the answer; otherwise the ask waits again. */

import type { AgentId, EventId } from "../core/ids.ts";
import type { Sent } from "../core/mail-records.ts";
import type { Refusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { givenFor, withVerdicts } from "../engine/evidence.ts";
import { type InFlight, NOTHING_IN_FLIGHT } from "../engine/in-flight.ts";
import { type Caller, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import { type DecideMail, takeFromMailbox } from "./change-mailbox.ts";
import { circleOf, isTakenByAsk, wouldDeadlock } from "./rules/ask.ts";
import type { MessageSent } from "./rules/message.ts";
import { messageNotFound } from "./rules/message-not-found.ts";
import { type EarlierReply, resumeAsk } from "./rules/resume-ask.ts";
import { takenMessages } from "./take-messages.ts";

export interface AnsweredBefore extends InFlight {
  readonly reply: {
    readonly messageId: EventId;
    readonly body: string;
    readonly from: AgentId;
    readonly replyTo?: string;
  };
}

/** Null where nobody has answered it yet. */
export async function askAgain(
  deps: Deps,
  caller: Caller,
  { messageId: requestId, deliveries: [peer] }: Sent,
  forMs: number,
): Promise<AnsweredBefore | Refusal<"would_deadlock" | "message_not_found"> | null> {
  const circle = peer && (await circleWith(deps, caller, requestId, peer.to));
  if (circle) return wouldDeadlock(circle);
  const resuming = { requestId, forMs, callerProcess: deps.probe.self() };
  const decide: DecideMail<EarlierReply | null> = (window, given) => resumeAsk(window, given, resuming);
  const { answer } = await takeFromMailbox(deps, caller, { kind: "ask", requestId }, decide);
  if (answer === null) return null;
  const [message] = await deps.store.readMessages([answer.messageId]);
  return message ? answeredBefore(deps, caller, message, answer) : messageNotFound(answer.messageId);
}

/** The peer may have begun to wait for the asker since. */
async function circleWith(deps: Deps, caller: Caller, requestId: EventId, peer: AgentId) {
  const asks = (await deps.store.readWaitingAsks()).filter((ask) => ask.requestId !== requestId);
  const { moment, window } = await deps.store.readMailbox(caller.agentId, { kind: "messages", ids: [] });
  const evidence = withVerdicts(
    deps,
    NO_EVIDENCE,
    asks.map(({ caller: process }) => process),
  );
  return circleOf(asks, givenFor(deps, caller, moment, evidence), window.box.agentId, peer);
}

async function answeredBefore(
  deps: Deps,
  caller: Caller,
  message: MessageSent,
  { delivery }: EarlierReply,
): Promise<AnsweredBefore> {
  const { body, replyTo } = message.payload;
  const from = delivery?.from ?? (message.fromAgentId as AgentId);
  const reply = { messageId: message.eventId, body, from, ...(replyTo === undefined ? {} : { replyTo }) };
  // What another door is showing is that one's to confirm.
  if (delivery?.state !== "in_flight" || !isTakenByAsk(delivery)) return { ...NOTHING_IN_FLIGHT, reply };
  const taken = { deliveries: [delivery], remaining: 0, nextDueMs: Number.POSITIVE_INFINITY };
  return { ...(await takenMessages(deps, caller, taken, [message])), reply };
}
