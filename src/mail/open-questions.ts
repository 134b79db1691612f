/** The questions that a caller was asked and has not answered, oldest first. Reads only. */
import { type AgentId, asAgentId, type Handle, type RoomId } from "../core/ids.ts";
import type { Ask } from "../core/mail-records.ts";
import type { Deps } from "../engine/deps.ts";
import { givenFor, lookAtRoom, withVerdicts } from "../engine/evidence.ts";
import { presentName } from "../room/rules/alias.ts";
import { alivenessIn } from "../room/rules/liveness.ts";
import { isMember } from "../room/rules/membership.ts";
import { type Caller, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import { isWaitedFor } from "./rules/ask.ts";
import type { MessageSent } from "./rules/message.ts";
import type { OpenQuestion } from "./rules/only-question.ts";

/** A person who was asked more has other troubles, and a list of them must end. */
const MOST_QUESTIONS = 50;

export async function openQuestions(deps: Deps, caller: Caller): Promise<readonly OpenQuestion[]> {
  const asks = await deps.store.readUnansweredAsks(caller.agentId, MOST_QUESTIONS);
  const messages = await deps.store.readMessages(asks.map(({ requestId }) => requestId));
  const byId = new Map(messages.map((message) => [message.eventId, message]));
  // Usually all of them were asked in one room.
  const seats = new Map<RoomId, SeatOf>();
  for (const roomId of new Set(messages.map((message) => message.roomId))) {
    seats.set(roomId, await seatsIn(deps, caller, roomId));
  }
  return asks.flatMap((ask) => {
    const message = byId.get(ask.requestId);
    return message ? [questionOf(deps, caller, { ask, message, seat: seats.get(message.roomId)?.(ask.asker) })] : [];
  });
}

interface Seat {
  readonly handle: Handle | null;
  readonly isGone: boolean;
}

/** An asker in the room of its question; null if it is no member there, not even by a former name. */
type SeatOf = (asker: AgentId) => Seat | null;

interface Asked {
  readonly ask: Ask;
  readonly message: MessageSent;
  readonly seat: Seat | null | undefined;
}

function questionOf(deps: Deps, caller: Caller, { ask, message, seat }: Asked): OpenQuestion {
  const given = givenFor(deps, caller, deps.clock.now(), withVerdicts(deps, NO_EVIDENCE, [ask.caller]));
  return {
    messageId: ask.requestId,
    from: ask.asker,
    handle: seat?.handle ?? null,
    body: message.payload.body,
    createdAt: message.createdAt,
    isWaitedFor: isWaitedFor(ask, given),
    isAskerGone: seat?.isGone ?? true,
  };
}

async function seatsIn(deps: Deps, caller: Caller, roomId: RoomId): Promise<SeatOf> {
  const snapshot = await deps.store.readRoom(roomId);
  if (!snapshot) return () => null;
  const { room } = snapshot;
  const aliases = await deps.store.readAliases([...room.state.members.keys()]);
  const given = await lookAtRoom(deps, snapshot, { caller });
  return (asker) => {
    const name = asAgentId(presentName(room, aliases, asker));
    if (!isMember(room, name)) return null;
    const isGone = alivenessIn(room, name, given).process === "gone";
    return { handle: room.presence.get(name)?.handle ?? null, isGone };
  };
}
