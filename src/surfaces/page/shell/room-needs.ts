/** What in a room needs the person. Pure. */
import type { RoomPicture } from "../../../peers/rules/picture.ts";
import { hasMoreToSay } from "../../picture/board.ts";
import { questionsIn } from "../../picture/step-in.ts";

export interface RoomNeeds {
  /** To the person who reads. */
  readonly questions: number;
  /** Agents whose harness asks its user at its own terminal. */
  readonly prompts: number;
  /** Nobody goes on, for another reason than these and a pause. */
  readonly isStuck: boolean;
}

export function roomNeeds(picture: RoomPicture): RoomNeeds {
  const { agents, why } = picture;
  const questions = questionsIn(picture).length;
  const prompts = agents.filter(({ needs }) => needs?.kind === "permission").length;
  const isStuck = why.isStuck && why.reason.kind !== "paused" && questions === 0 && prompts === 0;
  return { questions, prompts, isStuck };
}

interface RoomsInOrder {
  readonly needy: readonly RoomPicture[];
  readonly calm: readonly RoomPicture[];
}

/** Those that need the person stand apart. In both parts the order stays. */
export function roomsInOrder(rooms: readonly RoomPicture[]): RoomsInOrder {
  return { needy: rooms.filter(isNeedy), calm: rooms.filter((picture) => !isNeedy(picture)) };
}

function isNeedy(picture: RoomPicture): boolean {
  const { questions, prompts, isStuck } = roomNeeds(picture);
  return questions > 0 || prompts > 0 || isStuck;
}

/** Whether the reason nobody moves is to be told: neither the lines of the stick nor the questions to the person say it. */
export function tellsWhy(picture: RoomPicture): boolean {
  const { why, me } = picture;
  const { reason } = why;
  if (reason.kind === "held") return reason.asked !== null;
  if (!hasMoreToSay(why)) return false;
  if (reason.kind === "unanswered") return reason.person !== me;
  // Others that need a person may be none of those that ask this one.
  return reason.kind !== "question" || reason.person !== me || reason.others >= questionsIn(picture).length;
}
