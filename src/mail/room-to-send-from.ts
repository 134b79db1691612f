/**
 * The room that a message goes out from. If the directory has none yet, the sender creates one and joins it, but only
 * for a message that can be sent. To find that out, the rules of sending are first applied to the room as it would be.
 * So a refused message leaves no room behind.
 */

import { asRoomId, type EventId, type RoomId } from "../core/ids.ts";
import type { Policy } from "../core/policy.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { lookAtRoom } from "../engine/evidence.ts";
import { locate } from "../engine/locate.ts";
import type { RoomSearch } from "../engine/operation.ts";
import { mayBePrefix } from "../engine/whole-id.ts";
import { type FoundRoom, findOrJoinRoom, type WantedRoom } from "../room/find-room.ts";
import { newRoomAt } from "../room/join-path.ts";
import { createRoom, type NewRoom, type Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { type Addressee, findAddressee, findAnswered } from "./find-addressee.ts";
import { commandOf, type Letter, type PostRefusal } from "./post-message.ts";
import type { CitedMessage } from "./rules/message.ts";
import { sendMessage as decideSend, type Post } from "./rules/send.ts";

export interface Outgoing extends Letter {
  /** The message that this one answers. This one goes to the sender of that message. */
  readonly answers?: EventId;
  /** The sender waits for the reply. */
  readonly asks?: boolean;
}

/** Its policy is null if the caller named the room and it was not read. */
export interface SendingRoom {
  readonly roomId: RoomId;
  readonly policy: Policy | null;
}

export type SendingRoomRefusal = PostRefusal | "invalid_path" | "ambiguous_id";

/**
 * If the caller names a room by its whole id, the room is read only for a door that wants to know it. Sending finds out
 * whether it exists.
 */
export async function roomToSendFrom(
  deps: Deps,
  caller: Caller,
  { wanted, isAbout }: RoomSearch,
  message: Outgoing,
): Promise<SendingRoom | Refusal<SendingRoomRefusal>> {
  const { roomId } = wanted;
  if (roomId !== undefined && !isAbout && !mayBePrefix("room", roomId))
    return { roomId: asRoomId(roomId), policy: null };
  const answered = await roomOfAnswered(deps, caller, wanted, message);
  const found: FoundRoom | Refusal<SendingRoomRefusal> = answered
    ? { roomId: answered.id, policy: answered.policy, room: answered }
    : await findOrJoinRoom(deps, caller, wanted, (otherwise) => refusedIn(deps, caller, otherwise, message));
  if (!isRefusal(found) && found.room) isAbout?.(found.room);
  return found;
}

/**
 * A reply goes out from the room of the message that it answers. A sender that is not a member of that room, but works
 * in the same project, replies from its own room: a reply must not make it a member without need. The answer is null in
 * that case, and also if the room is closed or was removed.
 */
async function roomOfAnswered(
  deps: Deps,
  { agentId }: Caller,
  { roomId, contextPath }: WantedRoom,
  { answers }: Outgoing,
): Promise<Room | null> {
  if (roomId !== undefined || answers === undefined) return null;
  const [cited] = await deps.store.readMessages([answers]);
  const room = cited ? (await deps.store.readRoom(cited.roomId))?.room : undefined;
  if (!room || room.state.status === "closed") return null;
  if (room.state.members.has(agentId)) return room;
  const place = await locate(deps, contextPath);
  return isRefusal(place) || newRoomAt(deps, place).project === room.project ? null : room;
}

/** Why the message would be refused in a room that is created for it; null if it would be sent. */
async function refusedIn(
  deps: Deps,
  caller: Caller,
  made: NewRoom,
  message: Outgoing,
): Promise<Refusal<PostRefusal> | null> {
  const { answers, asks = false, ...letter } = message;
  const room = createRoom(made);
  const purpose = { kind: null, ask: asks ? { forMs: 0, callerProcess: null } : null };
  const replyTo = answers ?? letter.replyTo;
  const command = commandOf(deps, { ...letter, ...(replyTo !== undefined && { replyTo }) }, purpose);
  const cited = await citedBy(deps, [command.replyTo, command.sourceMessageId]);
  const name = answers === undefined ? (letter.to ?? "room") : (cited.get(answers)?.message.fromAgentId ?? "room");
  const { moment } = await deps.store.readMailbox(caller.agentId, { kind: "messages", ids: [] });
  const addressee =
    (await findAnswered(deps, room, name, command.replyTo)) ??
    (await findAddressee(deps, caller, { room, moment }, name));
  if (isRefusal(addressee)) return addressee;
  const given = await lookAtRoom(deps, { room, moment }, { caller, about: [] });
  const post = { ...emptyPost(caller, addressee), cited, asks: asks ? await deps.store.readWaitingAsks() : [] };
  const { answer } = decideSend(room, given, () => [], post, { ...command, elsewhere: addressee.elsewhere });
  return isRefusal(answer) ? answer : null;
}

async function citedBy({ store }: Deps, ids: readonly (EventId | null)[]): Promise<Map<string, CitedMessage>> {
  const messages = await store.readMessages(ids.filter((id) => id !== null));
  const deliveries = await store.readDeliveries(messages.map(({ eventId }) => eventId));
  return new Map(
    messages.map((message) => {
      const own = deliveries.filter(({ messageId }) => messageId === message.eventId);
      return [message.eventId, { message, recipients: own.map(({ recipient }) => recipient) }];
    }),
  );
}

function emptyPost({ agentId }: Caller, { to }: Addressee): Post {
  return { sender: agentId, to, boxes: new Map(), freeSeqs: [1], sentBefore: null, cited: new Map(), asks: [] };
}
