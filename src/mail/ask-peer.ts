/** Asking: send, wait for that very reply, and end the ask exactly once. */

import { meansRoom } from "../core/agent-id.ts";
import { type AgentId, asRoomId, type EventId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import type { Delivery, Sent } from "../core/mail-records.ts";
import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import { after, elapsedMs, type Instant } from "../core/time.ts";
import { lastKnown } from "../engine/commit.ts";
import { decodeId, decodeInteger } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import type { MailWindow } from "../engine/ports/mail-store.ts";
import { NOTHING_YET, waitUntil } from "../engine/wait-until.ts";
import { roomNotFound } from "../room/rules/refusals.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { type AnsweredBefore, askAgain } from "./ask-again.ts";
import { type DecideMail, takeFromMailbox } from "./change-mailbox.ts";
import type { ReceivedMessage } from "./rules/message.ts";
import { endAsk, settleMail, takeReply } from "./rules/take.ts";
import type { WakeStatus } from "./rules/wake-status.ts";
import { postMessage, wakeRecipients } from "./send-message.ts";
import { type InFlight, NOTHING_IN_FLIGHT, takenMessages } from "./take-messages.ts";

export interface AskPeerInput {
  readonly roomId: string;
  readonly to: string;
  readonly body: string;
  /** Without it, the room's `ask_timeout_ms`. */
  readonly timeoutMs?: number;
  readonly msgId?: string;
  readonly signal?: AbortSignal;
  /** Told once the question is in the log. */
  readonly onSent?: (sent: Sent) => void;
}

interface Reply extends Pick<ReceivedMessage, "messageId" | "body" | "from">, Correlation {
  /** Null where the peer cannot say what it answers. */
  readonly replyTo: string | null;
}

export interface Asked {
  readonly messageId: EventId;
  readonly requestId: EventId;
  readonly reply: Reply | null;
  readonly correlation: Correlation["correlation"] | "none";
  readonly wakeStatus: WakeStatus;
  readonly timedOut: boolean;
  readonly timeoutMs: number;
}

interface Correlation {
  readonly correlation: "correlated" | "uncorrelated";
}

/** The reply is in flight until the answer is out. */
export interface Answered extends InFlight {
  readonly answer: Asked;
}

export async function askPeer(deps: Deps, caller: Caller, input: AskPeerInput): Promise<Answered | Refusal> {
  const timeoutMs = await decodeTimeout(deps, input);
  if (isRefusal(timeoutMs)) return timeoutMs;
  if (meansRoom(input.to)) return needsOnePeer();
  const { roomId, to, body, msgId } = input;
  const message = { roomId, to, body, ...(msgId === undefined ? {} : { msgId }) };
  const purpose = { kind: "ask", ask: { forMs: timeoutMs, callerProcess: deps.probe.self() } };
  const posted = await postMessage(deps, caller, message, purpose);
  if (isRefusal(posted)) return posted;
  const { sent, isRepeated } = posted;
  input.onSent?.(sent);
  const before = isRepeated ? await askAgain(deps, caller, sent, timeoutMs) : null;
  if (before) return isRefusal(before) ? before : answeredBefore(sent, timeoutMs, before);
  // The wait for the reply begins at once; what became of the wake is only needed for the answer.
  const waking = wakeRecipients(deps, caller, sent, asRoomId(roomId), timeoutMs);
  const bySender = await isMatchedBySender(deps, caller, sent.messageId);
  return untilReplied({ deps, caller, input, sent, waking, timeoutMs, bySender });
}

export function needsOnePeer(): Refusal {
  return refuse("unknown_recipient", "A question needs one agent to answer it.", "Name one agent, or send a message.");
}

interface Asking {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly input: AskPeerInput;
  readonly sent: Sent;
  readonly waking: Promise<readonly { readonly wakeStatus: WakeStatus }[]>;
  readonly timeoutMs: number;
  /** The peer's mailbox knows no `reply_to`. */
  readonly bySender: boolean;
}

async function isMatchedBySender({ store }: Deps, caller: Caller, requestId: EventId): Promise<boolean> {
  const { window } = await store.readMailbox(caller.agentId, { kind: "messages", ids: [] });
  const ask = window.asks.find((known) => known.requestId === requestId);
  return ask !== undefined && ask.afterSeq !== null;
}

async function untilReplied(asking: Asking): Promise<Answered | Refusal> {
  const { deps, caller, input, timeoutMs } = asking;
  const since = deps.clock.now().instant;
  const ended = await waitUntil<Answered | Refusal>(deps, {
    name: caller.agentId,
    caller,
    until: after(since, timeoutMs),
    cancel: input.signal,
    look: async (reason) => {
      // Where nothing rang, the look reads before it takes, so that a look in vain changes nothing.
      if (reason !== "rang" && !(await isWorthTaking(asking))) return NOTHING_YET;
      const answered = await look(asking, null);
      if (answered.answer.reply !== null) return { found: answered };
      const before = answered.isEnded ? await askedTwice(asking, since) : null;
      return before ? { found: before } : NOTHING_YET;
    },
  });
  if ("found" in ended) {
    const isUnheard = input.signal?.aborted && !isRefusal(ended.found) && ended.found.answer.reply !== null;
    return isUnheard ? unheard(asking, ended.found) : ended.found;
  }
  const last = await look(asking, ended.end === "time_up" ? "timed_out" : "cancelled");
  return ended.end === "session_ended" ? ended.refusal : last;
}

/** Another call of the same question has ended it. */
async function askedTwice(
  { deps, caller, sent, timeoutMs }: Asking,
  since: Instant,
): Promise<Answered | Refusal | null> {
  const before = await askAgain(deps, caller, sent, timeoutMs - elapsedMs(since, deps.clock.now().instant));
  return before === null || isRefusal(before) ? before : answeredBefore(sent, timeoutMs, before);
}

function answeredBefore(
  sent: Sent,
  timeoutMs: number,
  { reply, confirm, extend, giveBack, inflightTimeoutMs }: AnsweredBefore,
): Answered {
  const answer = askedAnswer({ sent, timeoutMs }, reply, { isOver: false, wakeStatus: "receiver_live" });
  return { answer, confirm, extend, giveBack, inflightTimeoutMs };
}

/** Takes the reply if it is there; otherwise, when the ask is over, ends it in the same transaction. */
async function look(
  asking: Asking,
  end: "timed_out" | "cancelled" | null,
): Promise<Answered & { readonly isEnded: boolean }> {
  const { deps, caller, sent } = asking;
  const requestId = sent.messageId;
  const place = placeOfReply(asking);
  let isEnded = false;
  const decide: DecideMail<Delivery | null> = (window, given) => {
    isEnded = window.asks.every((known) => known.requestId !== requestId);
    // Whoever gave up will not be shown the reply, so it stays in the mailbox for the next door.
    if (end === "cancelled") return endAsk(settleMail(window, given).mail, window, requestId, end);
    const taken = takeReply(window, given, requestId);
    return taken.answer !== null || end === null ? taken : endAsk(taken.mail, window, requestId, end);
  };
  const { answer: delivery, messages } = await takeFromMailbox(deps, caller, place, decide);
  const taken = { deliveries: delivery ? [delivery] : [], remaining: 0, nextDueMs: Number.POSITIVE_INFINITY };
  const mail = await takenMessages(deps, caller, taken, messages);
  const reply = mail.answer.messages[0] ?? null;
  // A look in vain is not shown to anybody.
  const wakeStatus = reply === null && end === null ? NOT_ASKED : await wakeStatusOf(asking);
  return { ...mail, isEnded, answer: askedAnswer(asking, reply, { isOver: end === "timed_out", wakeStatus }) };
}

/** The asker gave up in the moment in which the reply was taken: it goes back, to come by the ordinary doors. */
async function unheard(asking: Asking, { giveBack }: Answered): Promise<Answered> {
  await giveBack();
  const wakeStatus = await wakeStatusOf(asking);
  return { ...NOTHING_IN_FLIGHT, answer: askedAnswer(asking, null, { isOver: false, wakeStatus }) };
}

const NOT_ASKED: WakeStatus = "skipped_no_target";

async function wakeStatusOf({ waking }: Asking): Promise<WakeStatus> {
  const [woken] = await waking;
  return woken?.wakeStatus ?? NOT_ASKED;
}

/** A reply says what it answers; of a peer that cannot say so, the next message counts. */
function placeOfReply({ sent, bySender }: Asking): MailWindow {
  const [peer] = sent.deliveries;
  if (bySender) return { kind: "lanes", perSender: LIMITS.repliesPerLook, from: peer?.to as AgentId };
  return { kind: "replies", to: sent.messageId };
}

async function isWorthTaking(asking: Asking): Promise<boolean> {
  const { deps, caller } = asking;
  const { window } = await deps.store.readMailbox(caller.agentId, placeOfReply(asking));
  return window.deliveries.length > 0;
}

function askedAnswer(
  { sent, timeoutMs }: Pick<Asking, "sent" | "timeoutMs">,
  reply: AnsweredBefore["reply"] | null,
  { isOver, wakeStatus }: { readonly isOver: boolean; readonly wakeStatus: WakeStatus },
): Asked {
  const correlation = reply?.replyTo === sent.messageId ? "correlated" : "uncorrelated";
  return {
    messageId: sent.messageId,
    requestId: sent.messageId,
    reply: reply && {
      messageId: reply.messageId,
      body: reply.body,
      from: reply.from,
      replyTo: reply.replyTo ?? null,
      correlation,
    },
    correlation: reply ? correlation : "none",
    wakeStatus,
    timedOut: reply === null && isOver,
    timeoutMs,
  };
}

async function decodeTimeout(deps: Deps, input: AskPeerInput): Promise<number | Refusal> {
  const roomId = decodeId("room_id", input.roomId);
  if (isRefusal(roomId)) return roomId;
  // Only the policy must be fresh; that the room is there does not change.
  const known = input.timeoutMs === undefined ? null : lastKnown(deps, asRoomId(roomId));
  const outlook = known ?? (await deps.store.readRoom(asRoomId(roomId)));
  if (!outlook) return roomNotFound(roomId);
  return decodeInteger("timeout_ms", input.timeoutMs ?? outlook.room.policy.askTimeoutMs, {
    min: 0,
    max: LIMITS.askMs,
  });
}
