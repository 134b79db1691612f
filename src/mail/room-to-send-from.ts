/**
 * The room that a message goes out from. Where the directory has none yet, one is made and joined, but only for a message
 * that can be sent: the same rules are tried on the room as it would be, and a refusal leaves nothing behind.
 */

import { meansRoom } from "../core/agent-id.ts";
import type { EventId } from "../core/ids.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { gatherEvidence, givenFor } from "../engine/evidence.ts";
import { locate } from "../engine/locate.ts";
import { type FoundRoom, findOrJoinRoom, type WantedRoom } from "../room/find-room.ts";
import { newRoomAt } from "../room/join-path.ts";
import { createRoom, type NewRoom, type Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { needsOnePeer } from "./ask-peer.ts";
import { type Addressee, findAddressee } from "./find-addressee.ts";
import { findAnswered } from "./find-answered.ts";
import type { CitedMessage } from "./rules/message.ts";
import { sendMessage as decideSend, type Post } from "./rules/send.ts";
import { decodeCommand, decodeMessageId, type SendMessageInput } from "./send-message.ts";

export interface Outgoing extends Omit<SendMessageInput, "roomId"> {
  /** The message that it answers: it goes to whoever sent that. */
  readonly answers?: string;
  /** Somebody waits for the reply. */
  readonly asks?: boolean;
}

export async function roomToSendFrom(
  deps: Deps,
  caller: Caller,
  wanted: WantedRoom,
  message: Outgoing,
): Promise<FoundRoom | Refusal> {
  const answered = await roomOfAnswered(deps, caller, wanted, message);
  if (answered) return { roomId: answered.id, policy: answered.policy, room: answered };
  return findOrJoinRoom(deps, caller, wanted, (otherwise) => refusedIn(deps, caller, otherwise, message));
}

/**
 * An answer goes out from the room of what it answers. Only one who is no member there, and is in the same project, does
 * so from its own room: nobody becomes a member by an answer that could be given without. Null where none is left.
 */
async function roomOfAnswered(
  deps: Deps,
  { agentId }: Caller,
  { roomId, contextPath }: WantedRoom,
  { answers }: Outgoing,
): Promise<Room | null> {
  const messageId = decodeMessageId("message_id", answers);
  if (roomId !== undefined || messageId === null || isRefusal(messageId)) return null;
  const [cited] = await deps.store.readMessages([messageId]);
  const room = cited ? (await deps.store.readRoom(cited.roomId))?.room : undefined;
  if (!room || room.state.status === "closed") return null;
  if (room.state.members.has(agentId)) return room;
  const place = await locate(deps, contextPath);
  return isRefusal(place) || newRoomAt(deps, place).project === room.project ? null : room;
}

/** Why it could not be sent from a room that is made for it; null when nothing speaks against that. */
async function refusedIn(deps: Deps, caller: Caller, made: NewRoom, message: Outgoing): Promise<Refusal | null> {
  const { answers, asks = false, ...input } = message;
  const room = createRoom(made);
  const purpose = { kind: null, ask: asks ? { forMs: 0, callerProcess: null } : null };
  const replyTo = answers ?? input.replyTo;
  const command = decodeCommand(
    deps,
    { roomId: room.id, ...input, ...(replyTo !== undefined && { replyTo }) },
    purpose,
  );
  if (isRefusal(command)) return command;
  const cited = await citedBy(deps, [command.replyTo, command.sourceMessageId]);
  const name = answers === undefined ? (input.to ?? "room") : (cited.get(answers)?.message.fromAgentId ?? "room");
  if (asks && meansRoom(name)) return needsOnePeer();
  const { moment } = await deps.store.readMailbox(caller.agentId, { kind: "messages", ids: [] });
  const addressee =
    (await findAnswered(deps, room, name, command.replyTo)) ??
    (await findAddressee(deps, caller, { room, moment }, name));
  if (isRefusal(addressee)) return addressee;
  const given = givenFor(deps, caller, moment, gatherEvidence(deps, room, moment));
  const post = { ...emptyPost(caller, addressee), cited, asks: asks ? await deps.store.readWaitingAsks() : [] };
  const { answer } = decideSend(room, given, () => [], post, { ...command, elsewhere: addressee.elsewhere });
  return isRefusal(answer) ? answer : null;
}

async function citedBy({ store }: Deps, ids: readonly (EventId | null)[]): Promise<Map<string, CitedMessage>> {
  const messages = await store.readMessages(ids.filter((id) => id !== null));
  const cited = messages.map(async (message) => {
    const deliveries = await store.readDeliveries(message.eventId);
    return [message.eventId, { message, recipients: deliveries.map(({ recipient }) => recipient) }] as const;
  });
  return new Map(await Promise.all(cited));
}

function emptyPost({ agentId }: Caller, { to }: Addressee): Post {
  return { sender: agentId, to, boxes: new Map(), freeSeqs: [1], sentBefore: null, cited: new Map(), asks: [] };
}
