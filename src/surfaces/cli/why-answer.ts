/** Why nobody moves, as commands answer it. */
import type { Step } from "../../core/next.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import type { Reason } from "../../peers/rules/wait-graph.ts";
import { namedStep, whyWords } from "../picture/why-words.ts";
import { commandFor } from "./command-for.ts";
import type { ShownNames } from "./text/names.ts";

export interface WhyAnswer {
  /** Whether an agent waits, and nothing but an act ends that. */
  readonly stuck: boolean;
  readonly sentence: string;
  /** Null if the reader need not do anything, or cannot. */
  readonly command: string | null;
  readonly reason: Reason;
}

export function whyAnswer(picture: RoomPicture, tt: string, nowMs: number): WhyAnswer {
  const { isStuck: stuck, reason, step } = picture.why;
  const command = step && commandOf(step, picture, tt);
  return { stuck, sentence: whyWords(picture, nowMs), command, reason };
}

/** The command without `tt` and its flags. */
export function commandOf(step: Step, picture: RoomPicture, tt?: string): string {
  const command = commandFor(namedStep(step, picture), tt ?? "");
  return tt === undefined ? command.trimStart() : command;
}

/** The text with the ids of open questions as short as people type them. */
export function withShortIds(text: string, { agents }: RoomPicture, { short }: ShownNames): string {
  const questions = agents.flatMap(({ needs, waitsFor }) => [
    ...(needs?.kind === "answer" ? [needs.messageId] : []),
    ...waitsFor.flatMap(({ messageId }) => messageId ?? []),
  ]);
  return questions.reduce((shorter, id) => shorter.replaceAll(id, short(id)), text);
}
