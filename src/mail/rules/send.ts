/**
 * Sending: one event in the sender's room, one delivery for each recipient, in one transaction.
 *
 * It checks in this order: the body; whether the same message was sent before (then it gives the first answer again and
 * writes nothing); the recipient; the message that is answered or forwarded; whether asking would close a circle; how
 * fast the sender has been sending. A recipient that is offline gets its mail later.
 */

import type { MessagePayload } from "../../core/event.ts";
import type { AgentId, EventId } from "../../core/ids.ts";
import { utf8Length } from "../../core/limits.ts";
import type { Ask, Delivery, MailChange, Sent, SentRecord, StoredMailbox } from "../../core/mail-records.ts";
import type { ProcessRef } from "../../core/process.ts";
import { isRefusal, type Refusal, refuse } from "../../core/refusal.ts";
import { after, wallTimeOf } from "../../core/time.ts";
import { begin, type Change, type Decision, nextEventId, record } from "../../room/rules/change.ts";
import { asMember } from "../../room/rules/join.ts";
import { alivenessIn } from "../../room/rules/liveness.ts";
import type { TakenHandles } from "../../room/rules/membership.ts";
import type { Room } from "../../room/rules/room.ts";
import { settle } from "../../room/rules/settle.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { spend } from "./allowance.ts";
import { circleOf, wouldDeadlock } from "./ask.ts";
import { reopened } from "./batch.ts";
import { beginMail, boxOf, withAsk, withBox, withDelivery } from "./mail-change.ts";
import type { CitedMessage, MessageSent } from "./message.ts";
import { originOf, type Provenance, type ProvenanceRefusal, provenanceOf } from "./provenance.ts";
import { isAwaitedNow, willBeSeen } from "./will-be-seen.ts";

/** What the store knows that a send depends on. */
export interface Post {
  /** The present name of the sender, which another room may have given it. */
  readonly sender: AgentId;
  /** The present name of the recipient; `room` is every active member but the sender. */
  readonly to: AgentId | "room";
  readonly boxes: ReadonlyMap<AgentId, StoredMailbox>;
  /** Numbers for as many deliveries as there may be. */
  readonly freeSeqs: readonly number[];
  readonly sentBefore: SentRecord | null;
  readonly cited: ReadonlyMap<string, CitedMessage>;
  /** All asks that have not ended. */
  readonly asks: readonly Ask[];
}

/** The kind of the message that wakes the agent to which a stick was passed, or to which a person gave it. */
export const STICK_PASSED = "stick_passed";

/** The kind of the message by which every agent learns that a person has paused the room. */
export const ROOM_PAUSED = "room_paused";

/** The kind of the message by which every agent learns that the pause is over. */
export const ROOM_RESUMED = "room_resumed";

export interface SendMessage {
  readonly body: string;
  /** Other rooms in which the recipient is a member, as they were before the transaction. */
  readonly elsewhere: readonly Room[];
  /** For a message to the room: sessions that live in its directory and are in no room yet. */
  readonly outside?: readonly AgentId[];
  readonly deliveryHint: "normal" | "interrupt";
  readonly kind: string | null;
  readonly replyTo: EventId | null;
  readonly sourceMessageId: EventId | null;
  readonly msgId: { readonly id: string; readonly digest: string } | null;
  /** When the sender created it, in seconds. Only the mailbox protocol says so. */
  readonly createdAtSecs?: number;
  /** Wake each recipient that does not see it at once. */
  readonly wake?: boolean;
  readonly ask: {
    readonly forMs: number;
    readonly callerProcess: ProcessRef | null;
    /** The peer's mailbox knows no `reply_to`. */
    readonly bySender?: boolean;
  } | null;
}

type PostRefusal = ProvenanceRefusal | "would_deadlock" | "rate_limited";
export type SendRefusal =
  | PostRefusal
  | "invalid_body"
  | "message_too_large"
  | "msg_id_conflict"
  | "self_send"
  | "room_closed";

export function sendMessage(
  room: Room,
  given: Given,
  handles: TakenHandles,
  post: Post,
  command: SendMessage,
): Decision<Sent | Refusal<SendRefusal>> {
  const early = bodyProblem(room, command.body) ?? repeated(post, command);
  if (early) return { change: settle(begin(room), given), answer: early };
  return asMember(room, given, handles, (change) => {
    const recipients = recipientsOf(change.room, given, post.to, command.outside ?? []);
    return isRefusal(recipients) ? recipients : postMessage(change, given, post, command, recipients);
  });
}

/** Records the message in the room and puts it into the mailboxes of its recipients. */
export function postMessage(
  change: Change,
  given: Given,
  post: Post,
  command: SendMessage,
  recipients: readonly AgentId[],
): Decision<Sent> | Refusal<PostRefusal> {
  const provenance = provenanceOf(change.room, given, post.cited, command);
  if (isRefusal(provenance)) return provenance;
  const circle = command.ask && post.to !== "room" && circleOf(post.asks, given, given.caller.agentId, post.to);
  if (circle) return wouldDeadlock(circle);
  const allowed = withinRate(change.room, given, beginMail(post.boxes), command.kind);
  if (isRefusal(allowed)) return allowed;
  const recorded = recordMessage(change, given, post.to, command, provenance);
  const message = recorded.events.at(-1) as MessageSent;
  const mail = deliverTo(recipients, recorded.room, given, { mail: allowed, message, post, command });
  const answer = sentAnswer([recorded.room, ...command.elsewhere], given, message, mail, post);
  const requested = command.wake === true ? withWakeRequests(mail, answer, given, command) : mail;
  return { change: { ...recorded, mail: remembered(requested, post, command, answer) }, answer };
}

function bodyProblem(room: Room, body: string): Refusal<"invalid_body" | "message_too_large"> | null {
  if (body !== "") return sizeProblem(room, body);
  return refuse("invalid_body", "A message needs a body.", "Say something, or send nothing.");
}

export function sizeProblem({ policy }: Room, body: string): Refusal<"message_too_large"> | null {
  const supplied = utf8Length(body);
  const limit = policy.messageMaxBytes;
  if (supplied <= limit) return null;
  return refuse(
    "message_too_large",
    `The message has ${supplied} bytes; this room allows ${limit}. Nothing was sent.`,
    "Write the long part into a file or a note, and name it in the message.",
    { supplied, limit },
  );
}

/** The answer to a message that was sent before; null for a new one. */
export function repeated(
  { sentBefore }: Post,
  { msgId }: Pick<SendMessage, "msgId">,
): Sent | Refusal<"msg_id_conflict"> | null {
  if (!msgId || !sentBefore) return null;
  if (isSame(sentBefore.digest, msgId.digest)) return sentBefore.answer;
  return refuse(
    "msg_id_conflict",
    `You sent another message under the id ${JSON.stringify(msgId.id)} before.`,
    "Give a new msg_id for a new message. To make sure that the old one was sent, repeat it word for word.",
    { msg_id: msgId.id, message_id: sentBefore.answer.messageId },
  );
}

/** If the recipient has two names, a message has two digests. A message with either of them is the same message. */
export function joinDigests(digest: string, other: string): string {
  return digest === other ? digest : `${digest}\n${other}`;
}

function isSame(digest: string, other: string): boolean {
  const known = digest.split("\n");
  return other.split("\n").some((each) => known.includes(each));
}

function recipientsOf(
  room: Room,
  given: Given,
  to: AgentId | "room",
  outside: readonly AgentId[],
): readonly AgentId[] | Refusal<"self_send"> {
  const { agentId, formerId } = given.caller;
  if (to === "room") {
    const members = [...room.state.members.keys()].filter((member) => alivenessIn(room, member, given).isActive);
    // Since they were looked at, a session may have joined, or may have turned out to be the sender.
    const others = outside.filter((session) => !room.state.members.has(session) && session !== formerId);
    return [...members, ...others].filter((recipient) => recipient !== agentId);
  }
  if (to !== agentId && to !== formerId) return [to];
  return refuse("self_send", "You cannot send a message to yourself.", "Name another agent, or write a note.");
}

/**
 * The limit does not count for people, who stop by themselves, nor for programs that were written for the purpose. Nor
 * does it count for the message that a stick was passed: Talking Stick writes it, once for each pass.
 */
function withinRate(
  { policy }: Room,
  given: Given,
  mail: MailChange,
  kind: SendMessage["kind"],
): MailChange | Refusal<"rate_limited"> {
  if (kind === STICK_PASSED) return mail;
  const { agentId, isPerson, harness } = given.caller;
  if (isPerson || harness === "library" || harness === "mailbox" || policy.sendRatePerMin === 0) return mail;
  const box = boxOf(mail, agentId);
  const allowance = spend(box.allowance, given.moment.instant, policy.sendRatePerMin);
  return isRefusal(allowance) ? allowance : withBox(mail, { ...box, allowance });
}

function recordMessage(
  change: Change,
  given: Given,
  to: AgentId | "room",
  command: SendMessage,
  provenance: Provenance,
): Change {
  const { caller } = given;
  const messageId = nextEventId(change, given);
  const requestId = command.ask ? messageId : provenance.requestId;
  const payload: MessagePayload = {
    body: command.body,
    bodyBytes: utf8Length(command.body),
    origin: originOf(caller),
    ...(caller.sessionId === null ? {} : { fromSessionId: caller.sessionId }),
    deliveryHint: command.deliveryHint,
    ...(command.kind === null ? {} : { kind: command.kind }),
    ...(requestId === null ? {} : { requestId }),
    ...(command.replyTo === null ? {} : { replyTo: command.replyTo }),
    ...(command.sourceMessageId === null ? {} : { sourceMessageId: command.sourceMessageId }),
    ...sendersStamp(command),
    chainId: provenance.chainId ?? messageId,
    hops: provenance.hops,
  };
  return record(change, given, "message_sent", payload, { from: caller.agentId, to: to === "room" ? null : to });
}

function sendersStamp({ msgId, createdAtSecs }: SendMessage): Pick<MessagePayload, "msgId" | "createdAtSecs"> {
  return msgId === null || createdAtSecs === undefined ? {} : { msgId: msgId.id, createdAtSecs };
}

interface Posting {
  readonly mail: MailChange;
  readonly message: MessageSent;
  readonly post: Post;
  readonly command: SendMessage;
}

function deliverTo(
  recipients: readonly AgentId[],
  room: Room,
  given: Given,
  { mail, message, post, command }: Posting,
): MailChange {
  const delivered = recipients.reduce((sofar, recipient, index) => {
    const seq = post.freeSeqs[index] as number;
    const msgId = command.msgId?.id ?? message.eventId;
    return withDelivery(sofar, null, newDelivery(room, given, message, { recipient, seq, msgId }));
  }, mail);
  const [peer] = recipients;
  if (!command.ask || peer === undefined) return delivered;
  return withAsk(delivered, {
    requestId: message.eventId,
    asker: given.caller.agentId,
    peer,
    state: "waiting",
    until: after(given.moment.instant, command.ask.forMs),
    caller: command.ask.callerProcess,
    replyId: null,
    afterSeq: command.ask.bySender === true ? (post.freeSeqs[0] ?? null) : null,
  });
}

function newDelivery(
  { policy, presence }: Room,
  given: Given,
  message: MessageSent,
  { recipient, seq, msgId }: { readonly recipient: AgentId; readonly seq: number; readonly msgId: string },
): Delivery {
  const { agentId, harness } = given.caller;
  const expires = after(given.moment.instant, policy.messageTtlMs);
  return {
    seq,
    recipient,
    messageId: message.eventId,
    msgId,
    roomId: message.roomId,
    eventSeq: message.seq,
    from: agentId,
    fromHandle: presence.get(agentId)?.handle ?? null,
    fromHarness: harness,
    bodyBytes: message.payload.bodyBytes,
    interrupt: message.payload.deliveryHint === "interrupt",
    replyTo: (message.payload.replyTo ?? null) as EventId | null,
    terms: {
      maxRetries: policy.maxRetries,
      baseBackoffMs: policy.baseBackoffMs,
      inflightTimeoutMs: policy.inflightTimeoutMs,
    },
    expires,
    expiresAt: wallTimeOf(expires, given.moment),
    state: "pending",
    due: null,
    attempts: [],
    attemptsBefore: 0,
    requeuedFrom: null,
    reason: null,
    endedAt: null,
    purged: false,
  };
}

function sentAnswer(
  rooms: readonly Room[],
  given: Given,
  message: MessageSent,
  mail: MailChange,
  { asks }: Post,
): Sent {
  return {
    messageId: message.eventId,
    eventSeq: message.seq,
    createdAt: message.createdAt,
    deliveries: [...mail.deliveries.values()].map((delivery) => ({
      to: delivery.recipient,
      state: delivery.state,
      willBeSeen: isAwaitedNow(delivery, asks, given)
        ? "now"
        : willBeSeen(rooms, boxOf(mail, delivery.recipient), given),
    })),
  };
}

/** The mailbox keeps the request with the mail, so that a process inside the recipient's harness finds both at once. */
function withWakeRequests(
  mail: MailChange,
  { deliveries }: Sent,
  { moment }: Given,
  { kind }: SendMessage,
): MailChange {
  const unseen = new Set(deliveries.filter(({ willBeSeen: when }) => when !== "now").map(({ to }) => to));
  return [...mail.deliveries.values()]
    .filter(({ recipient }) => unseen.has(recipient))
    .reduce((sofar, { recipient, seq }) => {
      const box = boxOf(sofar, recipient);
      return withBox(sofar, wantedBy(kind === STICK_PASSED ? reopened(box, moment) : box, seq));
    }, mail);
}

/** A failed earlier attempt says nothing about the next one, so its outcome is forgotten. */
function wantedBy(box: StoredMailbox, seq: number): StoredMailbox {
  return { ...box, wakeWantedSeq: seq, wakeOutcome: box.wakeOutcome === "failed" ? null : box.wakeOutcome };
}

function remembered(mail: MailChange, { sender }: Post, { msgId }: SendMessage, answer: Sent): MailChange {
  if (!msgId) return mail;
  return { ...mail, sent: { sender, msgId: msgId.id, digest: msgId.digest, answer } };
}
