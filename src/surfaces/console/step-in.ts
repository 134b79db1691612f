/** A person steps in. What weakens an agent that is alive has a question that is asked first, in place. */
import type { AgentId, EventId, RoomId } from "../../core/ids.ts";
import type { Refusal } from "../../core/refusal.ts";
import { oneLine } from "../../core/visible.ts";
import { nameIn, type RoomPicture } from "../../peers/rules/picture.ts";
import { nameOf } from "../picture/why-words.ts";
import type { RoomActions } from "./room-actions.ts";

export type Act = () => Promise<object | Refusal>;

export interface StepIn {
  /** Null: nothing alive is weakened. */
  readonly question: Question | null;
  readonly act: Act;
}

interface Question {
  readonly words: string;
  /** Whether what the question says is still so. */
  readonly isTrueIn: (picture: RoomPicture) => boolean;
}

/** A question that waits for its answer, which is about this room. */
export interface StepInQuestion extends Question {
  readonly roomId: RoomId;
  readonly act: Act;
}

export const NO_LONGER_TRUE = "The stick has moved meanwhile. Nothing was done.";

/** Whether a question that is open must be dropped, now that the rooms are as the pictures say. */
export function isOutdated(question: StepInQuestion | null, pictures: readonly RoomPicture[]): boolean {
  if (question === null) return false;
  const picture = pictures.find(({ roomId }) => roomId === question.roomId);
  return picture === undefined || !question.isTrueIn(picture);
}

export function take(actions: RoomActions, picture: RoomPicture, reason: string): StepIn {
  const question = fromHolder(picture, "Take it?") ?? fromReserved(picture, "Take it?");
  return { question, act: () => actions.take(picture, reason) };
}

export function give(actions: RoomActions, picture: RoomPicture, to: string, reason: string): StepIn {
  const giveIt = `Give it to ${to}?`;
  const holding = fromHolder(picture, giveIt);
  const isForThem = to === nameOfReserved(picture);
  const question = holding ?? (isForThem ? null : fromReserved(picture, giveIt));
  return { question, act: () => actions.give(to, reason, holding === null ? null : picture.now.turnId) };
}

export function kick(actions: RoomActions, name: string, reason: string): StepIn {
  const question = { words: `Remove ${name} from the room?`, isTrueIn: () => true };
  return { question, act: () => actions.kick(name, reason) };
}

export function pauseOrResume(actions: RoomActions, { now }: RoomPicture, reason: string): StepIn {
  return { question: null, act: () => (now.paused === null ? actions.pause(reason) : actions.resume()) };
}

function fromHolder(picture: RoomPicture, question: string): Question | null {
  const { holder, state, turnId } = picture.now;
  if (holder === null || state !== "owned" || holder.agentId === picture.me) return null;
  return {
    words: `${nameOf(picture, holder.agentId)} holds the stick and is active. ${question}`,
    isTrueIn: ({ now }) => now.turnId === turnId && now.holder?.agentId === holder.agentId && now.state === "owned",
  };
}

function nameOfReserved(picture: RoomPicture): string | null {
  const agentId = reservedForOther(picture);
  return agentId && nameIn(picture.names, agentId);
}

function fromReserved(picture: RoomPicture, question: string): Question | null {
  const agentId = reservedForOther(picture);
  if (agentId === null) return null;
  const { turnId } = picture.now;
  return {
    words: `The stick is reserved for ${nameOf(picture, agentId)}. ${question}`,
    isTrueIn: (now) => reservedForOther(now) === agentId && now.now.turnId === turnId,
  };
}

/** The agent that the stick is reserved for, unless that is the reader. */
export function reservedForOther({ now, me }: RoomPicture): AgentId | null {
  const agentId = now.state === "reserved" ? (now.reservation?.agentId ?? null) : null;
  return agentId === me ? null : agentId;
}

export interface AskedQuestion {
  readonly asker: AgentId;
  readonly name: string;
  readonly messageId: EventId;
  /** The beginning of what it asks. */
  readonly words: string;
}

/** The questions of the room's agents that wait for the reader's answer. */
export function questionsIn({ agents, me, names }: RoomPicture): readonly AskedQuestion[] {
  return agents.flatMap(({ agentId: asker, needs }) => {
    if (needs?.kind !== "answer" || needs.person !== me) return [];
    const { messageId, question } = needs;
    return [{ asker, name: oneLine(nameIn(names, asker)), messageId, words: question ?? "" }];
  });
}

/** The question of this agent that waits for the reader's answer. */
export function questionOf(asked: readonly AskedQuestion[], agent: AgentId | string): AskedQuestion | null {
  return asked.find(({ asker, name }) => asker === agent || name === agent) ?? null;
}
