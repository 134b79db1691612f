/**
 * Takes mail for a door. A delivery is acknowledged only after its bytes have left this process, and only the surface
 * knows when that is. So a door gets its messages together with the functions that confirm them or give them back.
 */

import { decodeInput } from "../core/decode-input.ts";
import { agentId, choice, integer, optional, unlisted } from "../core/field.ts";
import type { AgentId, EventId, RoomId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import type { Ask, Delivery } from "../core/mail-records.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { givenFor } from "../engine/evidence.ts";
import { ignoringFaults } from "../engine/ignoring-faults.ts";
import { type InFlight, NOTHING_IN_FLIGHT } from "../engine/in-flight.ts";
import type { Store } from "../engine/ports/store.ts";
import { renewLeases } from "../engine/renew-leases.ts";
import { SLOW_LOOK_MS } from "../engine/wait-until.ts";
import { type Caller, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import { changeMailbox, type DecideMail, takeFromMailbox } from "./change-mailbox.ts";
import { countUnread } from "./mailbox-reads.ts";
import { ackMail, answersFor, extendMail, giveBackMail } from "./rules/acknowledge.ts";
import { isLateFor, isTakenByAsk } from "./rules/ask.ts";
import { isLive, settled } from "./rules/delivery.ts";
import { type MessageSent, type ReceivedMessage, receivedMessage } from "./rules/message.ts";
import { type TakenMail, takeMail } from "./rules/take.ts";

export interface TakeMessagesInput {
  readonly limit?: number;
  /** `manual`: the caller acknowledges each message by itself, so at most one of each sender is given at a time. */
  readonly ack?: "auto" | "manual";
  /** Only from this agent. */
  readonly from?: string;
  /** The door, for the record. */
  readonly transport?: string;
  readonly maxBytes?: number;
}

export interface MyMessages {
  readonly count: number;
  readonly messages: readonly ReceivedMessage[];
  readonly remaining: number;
  /** For a subagent: whose mail it is. */
  readonly note?: string;
}

/** A subagent reads its session's mail and takes none of it: the main agent would never see what it took. */
export const NOTE_FOR_SUBAGENT =
  "You are a subagent. These messages are for the main agent, which gets them too: do not answer them.";

/** No caller is told what becomes of these answers. After a power failure the mail is shown again. */
const NO_FSYNC = { waitsForDisk: "nothing" } as const;

export interface TakenMessages extends InFlight {
  readonly answer: MyMessages;
  /** When time alone, or the death of a process, may bring more. */
  readonly nextDueMs: number;
}

export interface TakeCommand {
  readonly limit: number;
  readonly maxBytes: number;
  readonly onePerSender: boolean;
  readonly from: AgentId | null;
  readonly transport: string;
}

export async function takeMessages(
  deps: Deps,
  caller: Caller,
  input: TakeMessagesInput,
): Promise<TakenMessages | Refusal<"invalid_input">> {
  const command = await decodeTake(deps, input);
  if (isRefusal(command)) return command;
  await renewLeases(deps, caller);
  return take(deps, caller, command);
}

/** What a reader may ask for. */
export const READ_FIELDS = {
  limit: optional(integer({ min: 1, max: LIMITS.messagesPerRead })),
  ack: optional(choice(["auto", "manual"])),
  /** By id alone: the command line looks for names. */
  from: unlisted(agentId()),
};
const TAKE_FIELDS = { ...READ_FIELDS, maxBytes: optional(integer({ min: 1, max: Number.MAX_SAFE_INTEGER })) };

export async function decodeTake(
  deps: Deps,
  { limit: most, ack, from: sender, maxBytes: bytes, transport = "library" }: TakeMessagesInput,
): Promise<TakeCommand | Refusal<"invalid_input">> {
  const decoded = decodeInput(TAKE_FIELDS, { limit: most, ack, from: sender, maxBytes: bytes });
  if (isRefusal(decoded)) return decoded;
  const { limit = LIMITS.messagesPerRead, maxBytes = LIMITS.messageBytesPerRead, from } = decoded;
  const present = from === undefined ? null : await deps.store.resolveAlias(from);
  return { limit, maxBytes, onePerSender: decoded.ack === "manual", from: present, transport };
}

export async function take(deps: Deps, caller: Caller, command: TakeCommand): Promise<TakenMessages> {
  if (caller.facts?.isSubagent) return lookOnly(deps, caller, command);
  // No sender's lane can give more than the whole call may take; one more tells whether there is more.
  const perSender = command.onePerSender ? 1 : command.limit + 1;
  const look = { kind: "lanes", perSender, from: command.from } as const;
  const decide: DecideMail<TakenMail> = (window, given) => takeMail(window, given, command);
  for (;;) {
    const { answer, messages } = await takeFromMailbox(deps, caller, look, decide);
    if (!answer.again) return takenMessages(deps, caller, withAskRecheck(answer), messages);
  }
}

/** What a take would give, without taking it. */
async function lookOnly(deps: Deps, caller: Caller, command: TakeCommand): Promise<TakenMessages> {
  const look = { kind: "lanes", perSender: command.limit + 1, from: command.from } as const;
  const { window, moment } = await deps.store.readMailbox(caller.agentId, look);
  const isLiveNow = (delivery: Delivery) => isLive(settled(delivery, moment));
  const live = { deliveries: window.deliveries.filter(isLiveNow), interrupts: window.interrupts.filter(isLiveNow) };
  const given = givenFor(deps, { ...caller, agentId: window.box.agentId }, moment, NO_EVIDENCE);
  const { deliveries, nextDueMs } = takeMail({ ...window, ...live }, given, command).answer;
  const messages = await withBodies(deps, deliveries);
  const remaining = (await countUnread(deps, caller, null)) - messages.length;
  const note = messages.length > 0 ? { note: NOTE_FOR_SUBAGENT } : {};
  // So that a hook of the main agent shows it, also if the sender's flag was lost.
  if (messages.length > 0 && caller.sessionId !== null) deps.flags?.raise([caller.sessionId]);
  const answer = { count: messages.length, messages, remaining: Math.max(0, remaining), ...note };
  return { answer, nextDueMs, ...NOTHING_IN_FLIGHT };
}

/** For a caller that looks again and again: reads first, so that a look that finds nothing changes nothing. */
export async function takeIfAny(deps: Deps, caller: Caller, command: TakeCommand): Promise<TakenMessages> {
  const look = { kind: "lanes", perSender: 1, from: command.from } as const;
  const { window, moment } = await deps.store.readMailbox(caller.agentId, look);
  const given = givenFor(deps, { ...caller, agentId: window.box.agentId }, moment, NO_EVIDENCE);
  const seen = takeMail(window, given, { ...command, limit: 1 });
  const stirs = seen.mail.deliveries.size > 0 || seen.answer.again || window.asks.length > 0;
  return stirs ? take(deps, caller, command) : takenMessages(deps, caller, withAskRecheck(seen.answer));
}

/** A reply is left to the process that waits for it. Look again soon, because that process may end. */
function withAskRecheck(taken: TakenMail): TakenMail {
  return taken.leavesReply ? { ...taken, nextDueMs: Math.min(taken.nextDueMs, SLOW_LOOK_MS) } : taken;
}

type Found = Pick<TakenMail, "deliveries" | "remaining" | "nextDueMs"> & Partial<Pick<TakenMail, "moreIsReady">>;

export async function takenMessages(
  deps: Deps,
  caller: Caller,
  { deliveries, remaining, moreIsReady = false, nextDueMs }: Found,
  said?: readonly MessageSent[],
): Promise<TakenMessages> {
  const messages = await (said ? withSaid(deps, said, deliveries) : withBodies(deps, deliveries));
  const answers = answersFor(deliveries);
  const look = { kind: "numbers", seqs: answers.map(({ seq }) => seq) } as const;
  const answerFor = async (decide: typeof ackMail) => {
    if (answers.length === 0) return;
    await changeMailbox(deps, caller, look, (window, given) => decide(window, given, answers), NO_FSYNC);
  };
  return {
    answer: { count: messages.length, messages, remaining },
    moreIsReady,
    confirm: () => answerFor(ackMail),
    extend: () => answerFor(extendMail),
    giveBack: async () => {
      await answerFor(giveBackMail);
      if (answers.length > 0) await deps.bell.ring([caller.agentId]);
    },
    inflightTimeoutMs: Math.min(...deliveries.map(({ terms }) => terms.inflightTimeoutMs)),
    nextDueMs,
  };
}

/** `asks`: if the deliveries are only looked at, the asks that may still take their reply. */
export async function withBodies(
  deps: Deps,
  deliveries: readonly Delivery[],
  asks: readonly Ask[] = [],
): Promise<readonly ReceivedMessage[]> {
  if (deliveries.length === 0) return [];
  return withSaid(
    deps,
    await deps.store.readMessages([...new Set(deliveries.map(({ messageId }) => messageId))]),
    deliveries,
    asks,
  );
}

async function withSaid(
  deps: Deps,
  said: readonly MessageSent[],
  deliveries: readonly Delivery[],
  asks: readonly Ask[] = [],
): Promise<readonly ReceivedMessage[]> {
  const late = await lateReplies(deps, said, deliveries, asks);
  const byId = new Map(said.map((message) => [message.eventId, message]));
  const paths = await roomPaths(
    deps.store,
    deliveries.map(({ roomId }) => roomId),
  );
  return deliveries.flatMap((delivery) => {
    const message = byId.get(delivery.messageId);
    if (!message) return [];
    const reception = { roomPath: paths.get(delivery.roomId) ?? null, isLate: late.has(delivery.seq) };
    return [receivedMessage(delivery, message, reception)];
  });
}

/**
 * The numbers of the deliveries whose reply comes too late for its ask. `waiting`: the asks that may still take theirs.
 */
async function lateReplies(
  { store }: Deps,
  said: readonly MessageSent[],
  deliveries: readonly Delivery[],
  waiting: readonly Ask[],
): Promise<ReadonlySet<number>> {
  const answering = new Set(said.filter(answersQuestion).map(({ eventId }) => eventId));
  const replies = deliveries.filter((delivery) => answering.has(delivery.messageId) && !isTakenByAsk(delivery));
  if (replies.length === 0) return new Set();
  const awaited = new Set(waiting.map(({ requestId }) => requestId));
  const ids = new Set(replies.map(({ replyTo }) => replyTo as EventId));
  const over = (await store.readAsks([...ids])).filter(({ requestId }) => !awaited.has(requestId));
  const late = replies.filter((delivery) => over.some((ask) => isLateFor(ask, delivery)));
  return new Set(late.map(({ seq }) => seq));
}

function answersQuestion({ payload: { replyTo, requestId } }: MessageSent): boolean {
  return replyTo !== undefined && replyTo === requestId;
}

/** A room never moves, so its path is looked up once. */
const PATHS = new WeakMap<Store, Map<RoomId, string>>();

/** A room that is gone has no path. */
async function roomPaths(store: Store, ids: Iterable<RoomId>): Promise<ReadonlyMap<RoomId, string>> {
  const known = PATHS.get(store) ?? new Map<RoomId, string>();
  PATHS.set(store, known);
  for (const id of new Set(ids)) {
    const path = known.get(id) ?? (await store.readRoom(id))?.room.path;
    if (path !== undefined) known.set(id, path);
  }
  return known;
}

/**
 * A last look at the mailbox, after a receiving call has ended its registration. Senders that saw the registration were
 * told that the call sees their mail now, so mail since its last look must come, too. This is a transaction even for an
 * empty mailbox: a sender may be about to commit, and a read would not wait for that.
 * Null if the store fails: the call's own answer matters more, and the mail comes by the next door.
 */
export function takeAtEnd(deps: Deps, caller: Caller, input: TakeMessagesInput): Promise<TakenMessages | null> {
  return ignoringFaults(async () => {
    const command = await decodeTake(deps, input);
    return isRefusal(command) ? null : take(deps, caller, command);
  });
}
