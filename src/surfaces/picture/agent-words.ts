/** What an agent does, what it waits for and what it left behind, in words that stand beside its name. */
import { oneLine } from "../../core/visible.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import type { AgentMark, AgentRow, FoldedAgent } from "../../peers/rules/picture-agents.ts";
import { agoOrJustNow, whereWords } from "./stick-words.ts";
import { nameOf } from "./why-words.ts";

export const AGENT_MARKS: Readonly<Record<AgentMark, string>> = {
  works: "▶",
  waits: "◉",
  idle: "○",
  needs_you: "■",
  silent: "◐",
};

/** The mark in words. */
export const MARK_WORDS: Readonly<Record<AgentMark, string>> = {
  works: "works",
  waits: "waits",
  idle: "idle",
  needs_you: "needs you",
  silent: "silent",
};

/** What it does first, then where it works and when it was seen. */
export function agentFacts(row: AgentRow, picture: RoomPicture, nowMs: number): readonly string[] {
  const { harness, machine, branch, unread, lastSeenAt, isPerson, agentId } = row;
  const isSelfEvident = isPerson || nameOf(picture, agentId).startsWith(harness);
  return [
    ...doingOf(row, picture),
    ...(isSelfEvident ? [] : [oneLine(harness)]),
    ...(machine === null ? [] : [whereWords(machine, nowMs)]),
    ...(branch === null || !hasSeveralBranches(picture) ? [] : [`branch ${oneLine(branch)}`]),
    ...(unread === 0 ? [] : [`${unread} unread`]),
    ...(lastSeenAt === null || agentId === picture.me ? [] : [`seen ${agoOrJustNow(lastSeenAt, nowMs)}`]),
  ];
}

/** What is the same for all agents tells nothing. */
function hasSeveralBranches({ agents }: RoomPicture): boolean {
  return new Set(agents.flatMap(({ branch }) => branch ?? [])).size > 1;
}

function doingOf(row: AgentRow, picture: RoomPicture): readonly string[] {
  const { mark, needs, holdsStick, isNext, queuePosition, waitsFor, activity } = row;
  const asked = waitsFor.filter(
    ({ awaits, to }) => awaits === "answer" && (needs?.kind !== "answer" || to !== needs.person),
  );
  const owns = holdsStick ? ["holds the stick"] : isNext ? ["is next"] : [];
  const place = queuePosition === null || isNext ? [] : [`waits, number ${queuePosition}`];
  const answers = asked.flatMap(({ to }) => (to === null ? [] : [`waits for ${whoseAnswer(to, picture)} answer`]));
  const waits = [...place, ...answers];
  // A mark may be a guess, words are not: an agent without hooks does not say what it does.
  const told = mark === "silent" ? "unknown" : activity.state === "busy" ? "works" : activity.state;
  const plain = waits.length > 0 || mark === "needs_you" || told === "unknown" ? [] : [told];
  return [...needWords(row, picture), ...owns, ...waits, ...plain];
}

function needWords({ needs }: AgentRow, picture: RoomPicture): readonly string[] {
  if (needs === null) return [];
  if (needs.kind === "permission") return ["needs you: a prompt in its own terminal"];
  return [
    needs.person === picture.me ? "needs you: asks a question" : `needs ${whoseAnswer(needs.person, picture)} answer`,
  ];
}

function whoseAnswer(agentId: AgentRow["agentId"], picture: RoomPicture): string {
  return agentId === picture.me ? "your" : `${nameOf(picture, agentId)}'s`;
}

/** What still waits for an agent that is not here. */
export function leftBehind({ holdsStick, isNext, unread }: FoldedAgent): readonly string[] {
  return [
    ...(holdsStick ? ["holds the stick"] : []),
    ...(isNext ? ["is next"] : []),
    ...(unread > 0 ? [`${unread} unread`] : []),
  ];
}
