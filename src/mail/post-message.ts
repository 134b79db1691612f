/**
 * Sending: find out which agent a name means, gather evidence, then one transaction for the event and its deliveries.
 */

import { type AgentId, asAgentId, type EventId, type RoomId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import type { DeliveryReceipt, Sent, StoredMailbox, WillBeSeen } from "../core/mail-records.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { commit, commitKnowing, lastKnown } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { andCaller } from "../engine/evidence.ts";
import { ignoringFaults } from "../engine/ignoring-faults.ts";
import type { PostRequest } from "../engine/ports/mail-store.ts";
import type { Loaded } from "../engine/ports/store.ts";
import { begin } from "../room/rules/change.ts";
import { roomNotFound } from "../room/rules/refusals.ts";
import type { Room } from "../room/rules/room.ts";
import { busyAmong, hookedHere, raiseFlags } from "../session/hooked-sessions.ts";
import { type Caller, type Given, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import type { Session } from "../session/rules/session.ts";
import { type Addressee, type AddresseeRefusal, findAddressee, findAnswered } from "./find-addressee.ts";
import { outsideInRoom } from "./outside-sessions.ts";
import { type FarPeer, farPeer, type SilentMachines, silentAmong } from "./peer-machine.ts";
import { concernOfPost } from "./post-evidence.ts";
import { isLive, isReady, settled } from "./rules/delivery.ts";
import { unread } from "./rules/mailbox.ts";
import {
  sendMessage as decideSend,
  joinDigests,
  type Post,
  repeated,
  type SendMessage,
  type SendRefusal,
} from "./rules/send.ts";
import type { SilentMachine } from "./rules/silent-machine.ts";
import { unwoken, type WakeStatus, type WokenReceipt } from "./rules/wake-status.ts";

/** What is sent, decoded. */
export interface Letter {
  readonly body: string;
  /** An agent's id, handle, session or tmux session; `room`, or nothing, is everybody here. */
  readonly to?: string;
  readonly deliveryHint?: "normal" | "interrupt";
  readonly replyTo?: EventId;
  readonly sourceMessageId?: EventId;
  /** The sender's own id for this message: sending it again changes nothing. */
  readonly msgId?: string;
  /** `auto` wakes the recipient, and the answer tells the outcome. It is the default for an interrupt. */
  readonly wake?: "off" | "auto";
}

export type PostRefusal = SendRefusal | AddresseeRefusal | "invalid_input" | "room_not_found";

/** Each recipient, with the outcome of the wake if the sender asked for one, and its machine if that is silent. */
export interface SentAnswer extends Sent {
  readonly deliveries: readonly (DeliveryReceipt & { readonly wakeStatus?: WakeStatus } & Partial<SilentMachine>)[];
}

/** What only Talking Stick itself may say about a message. */
interface Purpose {
  readonly kind: string | null;
  readonly ask: SendMessage["ask"];
  /** Where this is not so at the commit, nothing is sent. */
  readonly onlyIf?: (room: Room) => boolean;
}

const NOBODY: ReadonlySet<AgentId> = new Set();
const TALK: Purpose = { kind: null, ask: null };

/** Sends a message, and wakes its recipients if the sender wants that. */
export async function postAndWake(
  deps: Deps,
  caller: Caller,
  roomId: RoomId,
  letter: Letter,
  purpose: Purpose = TALK,
): Promise<SentAnswer | Refusal<Exclude<PostRefusal, "would_deadlock">>> {
  const posted = await postMessage(deps, caller, roomId, letter, purpose);
  // Only a question can close a circle of questions.
  if (isRefusal(posted)) return posted as Refusal<Exclude<PostRefusal, "would_deadlock">>;
  const { sent, silent, wake } = posted;
  return toldOf(wake ? { ...sent, deliveries: await wakeRecipients(deps, caller, sent, roomId) } : sent, silent);
}

/** As the sender is told of it. An agent that has shown a sign of life since is not on a silent machine. */
export function toldOf(sent: SentAnswer, silent: Posted["silent"]): SentAnswer {
  const told = (receipt: SentAnswer["deliveries"][number]) =>
    receipt.wakeStatus !== undefined && SIGNS_OF_LIFE.includes(receipt.wakeStatus)
      ? receipt
      : { ...receipt, ...silent.get(receipt.to) };
  return silent.size === 0 ? sent : { ...sent, deliveries: sent.deliveries.map(told) };
}

const SIGNS_OF_LIFE: readonly WakeStatus[] = ["fired", "receiver_live"];

/** `forMs`: how long the caller waits for the outcome. */
export async function wakeRecipients(
  deps: Deps,
  sender: Caller,
  sent: Sent,
  roomId: RoomId,
  forMs?: number,
): Promise<readonly WokenReceipt[]> {
  const message = { sender, sent, roomId, ...(forMs === undefined ? {} : { forMs }) };
  return deps.wakeRecipients?.(deps, message) ?? sent.deliveries.map(unwoken);
}

export interface Posted {
  readonly sent: Sent;
  /** The recipients whose machines are silent. */
  readonly silent: SilentMachines;
  /** The one recipient, if it is on another machine. */
  readonly far: FarPeer | null;
  /** It was sent before. */
  readonly isRepeated: boolean;
  /** Whether its recipients are to be woken. */
  readonly wake: boolean;
}

/** Sends, and wakes nobody yet. */
export async function postMessage(
  deps: Deps,
  caller: Caller,
  roomId: RoomId,
  letter: Letter,
  purpose: Purpose,
): Promise<Posted | Refusal<PostRefusal>> {
  const command = commandOf(deps, letter, purpose);
  const name = letter.to ?? "room";
  const sent: Delivered | Refusal<PostRefusal> =
    (await postToLikely(deps, caller, roomId, name, command)) ??
    (await postToNamed(deps, caller, roomId, name, command));
  return isRefusal(sent) ? sent : { ...sent, wake: command.wake === true };
}

type Delivered = Omit<Posted, "wake">;

/**
 * Usually the caller names the recipient by its id, and the recipient is in the room as this process last knew it. Then
 * nothing has to be read first. Null if that may not be so; then nothing was sent.
 */
async function postToLikely(deps: Deps, caller: Caller, roomId: RoomId, name: string, decoded: Command) {
  const room = lastKnown(deps, roomId)?.room;
  if (!room) return null;
  if (name === "room") return postTo(deps, caller, room, { to: name, elsewhere: [] }, decoded, () => true);
  const to = asAgentId(name);
  if (!room.state.members.has(to)) return null;
  const isHere = (loaded: Loaded) => loaded.room.state.members.has(to) && loaded.post?.to === to;
  return postTo(deps, caller, room, { to, elsewhere: [] }, decoded, isHere);
}

async function postToNamed(deps: Deps, caller: Caller, roomId: RoomId, name: string, decoded: Command) {
  const snapshot = await deps.store.readRoom(roomId);
  if (!snapshot) return roomNotFound(roomId);
  const { room } = snapshot;
  const addressee =
    (await findAnswered(deps, room, name, decoded.replyTo)) ?? (await findAddressee(deps, caller, snapshot, name));
  if (isRefusal(addressee)) return sentBefore(deps, caller, roomId, decoded, addressee);
  return (await postTo(deps, caller, room, addressee, decoded, () => true)) ?? roomNotFound(roomId);
}

/** Null if there is no such room, or if it is not as the caller expected. Then nothing was sent. */
async function postTo(
  deps: Deps,
  caller: Caller,
  room: Room,
  named: Addressee,
  decoded: Command,
  mustBe: (loaded: Loaded) => boolean,
): Promise<Delivered | Refusal<PostRefusal> | null> {
  const { id: roomId, project } = room;
  const sessions = await deps.store.readSessions(project);
  const isForRoom = named.to === "room";
  const outside = isForRoom ? (await outsideInRoom(deps, caller, room, sessions)).map(({ agentId }) => agentId) : [];
  const addressee = { ...named, outside };
  const command = knownByIdToo(deps, addressee.to, askingAmong(sessions, addressee.to, decoded));
  const hooked = hookedHere(deps, sessions);
  const hookedAndBusy = busyAmong(deps, hooked, addressee.to, [room, ...addressee.elsewhere]);
  const target = { roomId, post: { ...postRequest(caller, addressee.to, command), outside } };
  const concern = andCaller(caller, concernOfPost(deps, caller, addressee));
  let before: Post["boxes"] = new Map();
  let aliases: Loaded["aliases"] = new Map();
  let seen: Pick<Loaded, "room"> & { readonly given: Given | null } = { room, given: null };
  const changed = await commitKnowing(deps, caller, target, concern, (loaded, given) => {
    if (!loaded.post || !mustBe(loaded) || command.onlyIf?.(loaded.room) === false) return null;
    before = loaded.post.boxes;
    aliases = loaded.aliases;
    // The room may know a session by a former name.
    const former = [...aliases].flatMap(([name, present]) => (hookedAndBusy.has(present) ? [name] : []));
    const seeing = { hookedAndBusy: new Set([...hookedAndBusy, ...former]), away: addressee.away ?? NOBODY };
    const knowing = { ...given, evidence: { ...given.evidence, ...seeing } };
    const sending = { ...command, elsewhere: addressee.elsewhere, outside };
    const decision = decideSend(loaded.room, knowing, loaded.handles, loaded.post, sending);
    seen = { room: loaded.room, given };
    return decision;
  });
  if (!changed) return null;
  const { answer } = changed.decision;
  if (isRefusal(answer)) return answer;
  if (outside.length > 0) await ignoringFaults(() => followRenamed(deps, outside));
  const flagged = raiseFlags(
    deps,
    hooked,
    answer.deliveries.map(({ to }) => aliases.get(to) ?? to),
  );
  const isRepeated = changed.decision.change.events.every(({ eventId }) => eventId !== answer.messageId);
  // The message is sent. A fault in what follows must not make the answer a failure.
  const everybody = new Set(answer.deliveries.map(({ to }) => to));
  const held = isRepeated
    ? NOBODY
    : ((await ignoringFaults(() => heldBackFrom(deps, answer, before, command))) ?? everybody);
  const told = answer.deliveries.map((receipt) =>
    asHeldBack(asFlagged(receipt, flagged.has(aliases.get(receipt.to) ?? receipt.to)), held),
  );
  const sent = { ...answer, deliveries: told };
  const machines = await ignoringFaults(() =>
    machinesOf(deps, [seen.room, ...addressee.elsewhere], answer, seen.given),
  );
  return { sent, ...(machines ?? NOT_FAR), isRepeated };
}

type Machines = Pick<Posted, "silent" | "far">;
const NOT_FAR: Machines = { silent: new Map(), far: null };

async function machinesOf(
  deps: Deps,
  rooms: readonly Room[],
  { deliveries }: Sent,
  given: Given | null,
): Promise<Machines> {
  if (!deps.hosts || !given) return NOT_FAR;
  const agents = deliveries.map(({ to }) => to);
  const [peer] = agents;
  const far = peer && agents.length === 1 ? farPeer(deps, rooms, peer, given) : null;
  return { silent: await silentAmong(deps, rooms, agents, given), far };
}

/** A session may have got its own name since it was looked at. Then it gets the message under that name. */
async function followRenamed({ store }: Deps, names: readonly AgentId[]): Promise<null> {
  for (const name of names) {
    const present = await store.resolveAlias(name);
    if (present !== name) await store.supersede(name, present);
  }
  return null;
}

/** The hooks of tools look only if a flag is up. The hook at the end of a turn always looks. */
function asFlagged(receipt: DeliveryReceipt, isFlagged: boolean): DeliveryReceipt {
  const lacksFlag = receipt.willBeSeen === "next_tool_call" && !isFlagged;
  return lacksFlag ? { ...receipt, willBeSeen: "turn_end" } : receipt;
}

/** The recipient may have left since the first send. The same message sent again still gets the first answer. */
async function sentBefore(
  deps: Deps,
  caller: Caller,
  roomId: RoomId,
  command: Command,
  otherwise: Refusal<PostRefusal>,
): Promise<Delivered | Refusal<PostRefusal>> {
  if (command.msgId === null) return otherwise;
  const request = postRequest(caller, "room", command);
  const changed = await commit(deps, caller, { roomId, post: request }, NO_EVIDENCE, ({ room, post: known }) => ({
    change: begin(room),
    answer: (known && repeated(known, command)) ?? otherwise,
  }));
  const answer = changed ? changed.decision.answer : otherwise;
  return isRefusal(answer) ? answer : { sent: answer, ...NOT_FAR, isRepeated: true };
}

type Command = Omit<SendMessage, "elsewhere"> & Pick<Purpose, "onlyIf">;

/**
 * Some peers cannot say what their message answers. Then any message of that peer counts as the reply, and the ask must
 * know that. A session that has not said so counts as one that can.
 */
function askingAmong(sessions: readonly Session[], to: AgentId | "room", command: Command): Command {
  const knowsReplyTo = sessions.find(({ agentId }) => agentId === to)?.capabilities.mailbox.replyTo ?? true;
  if (!command.ask || to === "room" || knowsReplyTo) return command;
  return { ...command, ask: { ...command.ask, bySender: true } };
}

export function commandOf(deps: Deps, letter: Letter, purpose: Purpose): Command {
  const { body, to = "room", deliveryHint = "normal", replyTo = null, sourceMessageId = null, msgId } = letter;
  const { wake = deliveryHint === "interrupt" || purpose.ask ? "auto" : "off" } = letter;
  const said = { body, deliveryHint, replyTo, sourceMessageId, wake: wake === "auto", ...purpose };
  return { ...said, msgId: msgId === undefined ? null : { id: msgId, digest: digestOf(deps, to, said) } };
}

function digestOf({ digest }: Deps, to: string, said: Omit<Command, "msgId">): string {
  const { body, deliveryHint, replyTo, sourceMessageId, kind } = said;
  return digest(JSON.stringify([to, body, deliveryHint, replyTo, sourceMessageId, kind]));
}

/**
 * The digest covers the given name and the id. So a repeated message is recognised by either of them, even after the
 * agent has left and only its id is known.
 */
function knownByIdToo(deps: Deps, to: AgentId | "room", command: Command): Command {
  const { msgId } = command;
  if (msgId === null) return command;
  return { ...command, msgId: { ...msgId, digest: joinDigests(msgId.digest, digestOf(deps, to, command)) } };
}

function postRequest(caller: Caller, to: AgentId | "room", command: Command): PostRequest {
  const cites = [command.replyTo, command.sourceMessageId].filter((id) => id !== null);
  return { sender: caller.agentId, to, msgId: command.msgId?.id ?? null, cites, asks: looksAtAsks(command) };
}

/** A question may close a circle, and an asker may wait for this reply right now. */
function looksAtAsks({ ask, replyTo }: Command): boolean {
  return ask !== null || replyTo !== null;
}

/**
 * Mail of one sender comes in order: a message waits behind an older one that is in flight or backs off. So a recipient
 * that is receiving may still not see it now. Only mailboxes with unread mail are read.
 * `before`: the mailboxes as they were before the message. A reply may be taken out of its order.
 */
async function heldBackFrom(
  deps: Deps,
  { messageId, deliveries }: Sent,
  before: ReadonlyMap<AgentId, StoredMailbox>,
  { replyTo }: Pick<SendMessage, "replyTo">,
): Promise<ReadonlySet<AgentId>> {
  const held = new Set<AgentId>();
  const behind = deliveries.filter(({ to, willBeSeen }) => {
    const box = before.get(to);
    return box && unread(box) > 0 && SOON.includes(willBeSeen);
  });
  if (replyTo !== null || behind.length === 0) return held;
  const sent = await deps.store.readDeliveries([messageId]);
  for (const { to } of behind) {
    const own = sent.find(({ recipient }) => recipient === to);
    if (!own) continue;
    const lane = { kind: "lanes", perSender: LIMITS.messagesPerRead, from: own.from } as const;
    const { window, moment } = await deps.store.readMailbox(to, lane);
    const older = window.deliveries.filter(({ seq }) => seq < own.seq).map((delivery) => settled(delivery, moment));
    if (older.some((delivery) => isLive(delivery) && !isReady(delivery, moment))) held.add(to);
  }
  return held;
}

const SOON: readonly WillBeSeen[] = ["now", "next_tool_call", "turn_end"];

function asHeldBack(receipt: DeliveryReceipt, held: ReadonlySet<AgentId>): DeliveryReceipt {
  return held.has(receipt.to) ? { ...receipt, willBeSeen: "unknown" } : receipt;
}
