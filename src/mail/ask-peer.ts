/** Asking: send a question, wait for the reply to it, and end the ask exactly once. */

import { meansRoom } from "../core/agent-id.ts";
import { integer, optional } from "../core/field.ts";
import type { AgentId, EventId, RoomId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import type { Delivery, Sent } from "../core/mail-records.ts";
import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import { after, elapsedMs, type Instant } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { type InFlight, NOTHING_IN_FLIGHT } from "../engine/in-flight.ts";
import { operation } from "../engine/operation.ts";
import type { MailWindow } from "../engine/ports/mail-store.ts";
import { type Look, NOTHING_YET, waitUntil } from "../engine/wait-until.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { type AnsweredBefore, askAgain } from "./ask-again.ts";
import { type DecideMail, takeFromMailbox } from "./change-mailbox.ts";
import { PeerMachine } from "./peer-machine.ts";
import {
  type Letter,
  type Posted,
  type PostRefusal,
  postMessage,
  type SentAnswer,
  toldOf,
  wakeRecipients,
} from "./post-message.ts";
import { roomToSendFrom, type SendingRoom, type SendingRoomRefusal } from "./room-to-send-from.ts";
import type { ReceivedMessage } from "./rules/message.ts";
import type { ProvenanceRefusal } from "./rules/provenance.ts";
import { type SilentMachine, silentMachineText } from "./rules/silent-machine.ts";
import { endAsk, settleMail, takeReply } from "./rules/take.ts";
import type { WakeStatus } from "./rules/wake-status.ts";
import { BODY, MSG_ID, RECIPIENT, SEND_REFUSALS } from "./send-message.ts";
import { takenMessages } from "./take-messages.ts";

interface Question extends Pick<Letter, "body" | "msgId"> {
  readonly to: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called once the question is in the log, and at times while the peer's machine is silent, and when it is back. */
  readonly onSent?: (sent: SentAnswer) => void;
}

/** What a caller that waits for the answer is told once the question is in the log. */
export interface QuestionSent {
  readonly to: string;
  readonly sent: SentAnswer;
}

interface Reply extends Pick<ReceivedMessage, "messageId" | "body" | "from">, Correlation {
  /** Null where the peer cannot say what it answers. */
  readonly replyTo: string | null;
}

/** With the peer's machine, if there is no reply and that machine is silent. */
export interface Asked extends Partial<SilentMachine> {
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

type AskRefusal = PostRefusal | SendingRoomRefusal | "session_ended";

/** The reply is in flight until the answer is out. */
interface Answered extends InFlight {
  readonly answer: Asked;
}

async function askAndWait(
  deps: Deps,
  caller: Caller,
  roomId: RoomId,
  input: Question,
): Promise<Answered | Refusal<AskRefusal>> {
  const { to, body, msgId, timeoutMs } = input;
  const letter = { to, body, ...(msgId === undefined ? {} : { msgId }) };
  const purpose = { kind: "ask", ask: { forMs: timeoutMs, callerProcess: deps.probe.self() } };
  const posted = await postMessage(deps, caller, roomId, letter, purpose);
  if (isRefusal(posted)) return posted;
  const { sent, silent, far, isRepeated } = posted;
  input.onSent?.(toldOf(sent, silent));
  const before = isRepeated ? await askAgain(deps, caller, sent, timeoutMs) : null;
  if (before) return isRefusal(before) ? before : answeredBefore(sent, timeoutMs, before);
  // The wait for the reply begins at once; what became of the wake is only needed for the answer.
  const waking = wakeRecipients(deps, caller, sent, roomId, timeoutMs);
  const bySender = await isMatchedBySender(deps, caller, sent.messageId);
  const machine = far && new PeerMachine(deps, far, silent.get(far.agentId) ?? null);
  return untilReplied({ deps, caller, input, sent, waking, timeoutMs, bySender, machine });
}

function needsOnePeer(): Refusal<"unknown_recipient"> {
  return refuse("unknown_recipient", "A question needs one agent to answer it.", "Name one agent, or send a message.");
}

interface Asking {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly input: Question;
  readonly sent: Sent;
  readonly waking: Promise<readonly { readonly wakeStatus: WakeStatus }[]>;
  readonly timeoutMs: number;
  /** The peer's mailbox knows no `reply_to`. */
  readonly bySender: boolean;
  /** Null if the peer is on this machine. */
  readonly machine: PeerMachine | null;
}

async function isMatchedBySender({ store }: Deps, caller: Caller, requestId: EventId): Promise<boolean> {
  const { window } = await store.readMailbox(caller.agentId, { kind: "messages", ids: [] });
  const ask = window.asks.find((known) => known.requestId === requestId);
  return ask !== undefined && ask.afterSeq !== null;
}

async function untilReplied(asking: Asking): Promise<Answered | Refusal<AskRefusal>> {
  const { deps, caller, input, timeoutMs } = asking;
  const since = deps.clock.now().instant;
  const ended = await waitUntil<Answered | Refusal<AskRefusal>>(deps, {
    name: caller.agentId,
    caller,
    until: after(since, timeoutMs),
    cancel: input.signal,
    look: async (reason) => {
      // If nothing rang, the look reads before it takes. So a look that finds nothing changes nothing.
      if (reason !== "rang" && !(await isWorthTaking(asking))) return lookAtMachine(asking);
      const answered = await look(asking, null);
      if (answered.answer.reply !== null) return { found: answered };
      const before = answered.isEnded ? await askedTwice(asking, since) : null;
      return before ? { found: before } : lookAtMachine(asking);
    },
  });
  if ("found" in ended) {
    const tookReplyAfterCancel = input.signal?.aborted && !isRefusal(ended.found) && ended.found.answer.reply !== null;
    return tookReplyAfterCancel ? returnReplyAfterCancel(asking, ended.found) : ended.found;
  }
  if (ended.end === "time_up" && asking.machine?.isDoubtful) await asking.machine.look();
  const last = await look(asking, ended.end === "time_up" ? "timed_out" : "cancelled");
  return ended.end === "session_ended" ? ended.refusal : last;
}

/** The asker goes on to wait, also if the peer's machine is silent: it may only be cut off. */
async function lookAtMachine({ input, sent, machine }: Asking): Promise<Look<never>> {
  if (!machine) return NOTHING_YET;
  // While it is silent, it is so for longer at each look.
  if (machine.changesInMs === 0 && ((await machine.look()) || machine.silent)) {
    input.onSent?.(toldOf(sent, silentPeer(sent, machine)));
  }
  return { changesInMs: machine.changesInMs };
}

function silentPeer({ deliveries: [peer] }: Sent, { silent }: PeerMachine): Posted["silent"] {
  return new Map(peer && silent ? [[peer.to, silent]] : []);
}

/** Another call of the same question has ended it. */
async function askedTwice(
  { deps, caller, sent, timeoutMs }: Asking,
  since: Instant,
): Promise<Answered | Refusal<AskRefusal> | null> {
  const before = await askAgain(deps, caller, sent, timeoutMs - elapsedMs(since, deps.clock.now().instant));
  return before === null || isRefusal(before) ? before : answeredBefore(sent, timeoutMs, before);
}

function answeredBefore(sent: Sent, timeoutMs: number, { reply, ...taken }: AnsweredBefore): Answered {
  return { ...taken, answer: askedAnswer({ sent, timeoutMs }, reply, { isOver: false, wakeStatus: "receiver_live" }) };
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
    // An asker that gave up is not shown the reply, so it stays in the mailbox for the next door.
    if (end === "cancelled") return endAsk(settleMail(window, given).mail, window, requestId, end);
    const taken = takeReply(window, given, requestId);
    return taken.answer !== null || end === null ? taken : endAsk(taken.mail, window, requestId, end);
  };
  const { answer: delivery, messages } = await takeFromMailbox(deps, caller, place, decide);
  const taken = { deliveries: delivery ? [delivery] : [], remaining: 0, nextDueMs: Number.POSITIVE_INFINITY };
  const mail = await takenMessages(deps, caller, taken, messages);
  const reply = mail.answer.messages[0] ?? null;
  // A look that finds no reply is not shown.
  const wakeStatus = reply === null && end === null ? NOT_ASKED : await wakeStatusOf(asking);
  return { ...mail, isEnded, answer: askedAnswer(asking, reply, { isOver: end === "timed_out", wakeStatus }) };
}

/** The asker gave up just as the reply was taken. The reply goes back into the mailbox, for the next door. */
async function returnReplyAfterCancel(asking: Asking, { giveBack }: Answered): Promise<Answered> {
  await giveBack();
  const wakeStatus = await wakeStatusOf(asking);
  return { ...NOTHING_IN_FLIGHT, answer: askedAnswer(asking, null, { isOver: false, wakeStatus }) };
}

const NOT_ASKED: WakeStatus = "skipped_no_target";

async function wakeStatusOf({ waking }: Asking): Promise<WakeStatus> {
  const [woken] = await waking;
  return woken?.wakeStatus ?? NOT_ASKED;
}

/** A reply says what it answers. If the peer cannot say so, its next message counts as the reply. */
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
  { sent, timeoutMs, machine = null }: Pick<Asking, "sent" | "timeoutMs"> & Partial<Pick<Asking, "machine">>,
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
    ...(reply === null && machine?.silent),
  };
}

export const askPeer = operation({
  name: "ask_peer",
  summary:
    "Asks one agent and waits for its answer. If it does not answer in time the question stays open, and a late answer comes with your messages.",
  needs: { store: "change", caller: "known", room: "found" },
  input: { to: RECIPIENT, body: BODY, timeoutMs: optional(integer({ min: 0, max: LIMITS.askMs })), msgId: MSG_ID },
  refusals: [...SEND_REFUSALS, "would_deadlock"],
  mcp: "core",
  async run({ deps, caller, ...search }, { timeoutMs, ...question }, call) {
    const { to } = question;
    if (meansRoom(to)) return needsOnePeer();
    const place = await roomToSendFrom(deps, caller, search, { ...question, asks: true });
    if (isRefusal(place)) return place as AskRefused;
    const wantedMs = timeoutMs ?? (await askTimeoutMs(deps, place));
    const asked = await askAndWait(deps, caller, place.roomId, {
      ...question,
      timeoutMs: call.waitMs?.(wantedMs) ?? wantedMs,
      signal: call.cancel,
      onSent: (sent) => call.onLook?.({ to, sent } satisfies QuestionSent),
    });
    if (isRefusal(asked)) return asked as AskRefused;
    call.afterOutput?.(asked);
    return asked.answer;
  },
  next: ({ timedOut, ...machine }) =>
    timedOut
      ? [
          ...silentMachineText("The peer's", machine),
          "The question stays open. A late answer comes with your messages: ",
          { do: "read_my_messages" },
        ]
      : undefined,
});

/** A question answers nothing and forwards nothing. */
type AskRefused = Refusal<Exclude<AskRefusal, ProvenanceRefusal>>;

/** The present timeout of the room. */
async function askTimeoutMs({ store, policy }: Deps, place: SendingRoom): Promise<number> {
  return (place.policy ?? (await store.readRoom(place.roomId))?.room.policy ?? policy).askTimeoutMs;
}
