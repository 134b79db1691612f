/**
 * A person steps in. What weakens an agent that is alive has a question that is asked first, in place. What is done is data:
 * operations in their order, up to the first that is refused.
 */
import type { AgentId, EventId, RoomId } from "../../core/ids.ts";
import type { Step } from "../../core/next.ts";
import { oneLine } from "../../core/visible.ts";
import { nameIn, type RoomPicture } from "../../peers/rules/picture.ts";
import type { TurnAnswer } from "../../stick/rules/answers.ts";
import { nameOf } from "./why-words.ts";

/** The operations by which a person steps in. */
export interface ActStep extends Step {
  readonly do:
    | "give_stick"
    | "wait_for_turn"
    | "takeover_stick"
    | "pause_room"
    | "resume_room"
    | "join_path"
    | "kick_member";
}

export interface StepIn {
  /** Null: nothing alive is weakened. */
  readonly question: Question | null;
  readonly steps: readonly ActStep[];
}

interface Question {
  readonly words: string;
  /** Whether what the question says is still so. */
  readonly isTrueIn: (picture: RoomPicture) => boolean;
}

/** A question that waits for its answer, which is about this room. */
export interface StepInQuestion extends Question {
  readonly roomId: RoomId;
  readonly steps: readonly ActStep[];
}

export const NO_LONGER_TRUE = "The stick has moved meanwhile. Nothing was done.";

const NO_REASON = "a person decided it";

/** Whether a question that is open must be dropped, now that the rooms are as the pictures say. */
export function isOutdated(question: StepInQuestion | null, pictures: readonly RoomPicture[]): boolean {
  if (question === null) return false;
  const picture = pictures.find(({ roomId }) => roomId === question.roomId);
  return picture === undefined || !question.isTrueIn(picture);
}

/** Takes a free stick, or takes it over. From a reservation for another, the person gives it to themselves first. */
export function take(picture: RoomPicture, reason: string): StepIn {
  const { now, me } = picture;
  const question = fromHolder(picture, "Take it?") ?? fromReserved(picture, "Take it?");
  if (now.holder === null) {
    const isReserved = reservedForOther(picture) !== null;
    const toMe = isReserved && me !== null ? [giveStep(me, reason, null)] : [];
    const wait = { do: "wait_for_turn", with: { max_wait_ms: 0, wake_on_message: false } } as const;
    return { question, steps: [...toMe, wait] };
  }
  const insists = now.state === "owned" && { operator_requested: true };
  const input = { expected_turn_id: now.turnId, reason: reason || NO_REASON, ...insists };
  return { question, steps: [{ do: "takeover_stick", with: input }] };
}

/** `to`: the name or the id of an agent. */
export function give(picture: RoomPicture, to: string, reason: string): StepIn {
  const name = oneLine(nameIn(picture.names, to as AgentId));
  const giveIt = `Give it to ${name}?`;
  const holding = fromHolder(picture, giveIt);
  const isForThem = to === reservedForOther(picture) || to === nameOfReserved(picture);
  const question = holding ?? (isForThem ? null : fromReserved(picture, giveIt));
  return { question, steps: [giveStep(to, reason, holding === null ? null : picture.now.turnId)] };
}

/** `fromTurn`: the turn of the active holder that the person agreed to end. */
function giveStep(to: string, reason: string, fromTurn: number | null): ActStep {
  const insists = fromTurn !== null && { operator_requested: true, expected_turn_id: fromTurn };
  return { do: "give_stick", with: { to_agent_id: to, ...(reason && { reason }), ...insists } };
}

/** `who`: the name or the id of an agent. `joins`: the person may be no member yet, and only a member removes another. */
export function kick(picture: RoomPicture, who: string, reason: string, joins = false): StepIn {
  const name = oneLine(nameIn(picture.names, who as AgentId));
  const question = { words: `Remove ${name} from the room?`, isTrueIn: () => true };
  const input = { target_agent_id: who, force: true, reason: reason || NO_REASON };
  const join = joins ? [{ do: "join_path", with: { context_path: picture.path } } as const] : [];
  return { question, steps: [...join, { do: "kick_member", with: input }] };
}

export function pauseOrResume({ now }: RoomPicture, reason: string): StepIn {
  const pause = { do: "pause_room", ...(reason && { with: { reason } }) } as const;
  return { question: null, steps: [now.paused === null ? pause : { do: "resume_room" }] };
}

/** The answers to a person who wanted the stick and did not get it. */
const WITHOUT_STICK: ReadonlySet<string> = new Set<TurnAnswer["status"]>(["not_yet", "takeover_available", "closed"]);

/** Whether an operation that is no refusal left the person without the stick that it asked for. */
export function isWithoutStick(answer: object): boolean {
  const { status } = answer as Partial<TurnAnswer>;
  return status !== undefined && WITHOUT_STICK.has(status);
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
