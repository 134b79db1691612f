/**
 * The board: the room picture as lines. A line is made of segments with a role, so that a command can paint them and a
 * console can draw them. Nothing stands to the right of text that others wrote.
 */
import { oneLine } from "../../core/visible.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import type { AgentRow, FoldedAgent } from "../../peers/rules/picture-agents.ts";
import { wrap } from "../words/wrap.ts";
import { AGENT_MARKS, agentFacts, leftBehind } from "./agent-words.ts";
import { pauseWords, type StickView, stickWords, whereWords } from "./stick-words.ts";
import { machineOf, nameOf, whyWords } from "./why-words.ts";

export type Role = "plain" | "holder" | "needs_you" | "warning" | "gone" | "dim";

export interface Segment {
  readonly text: string;
  readonly role: Role;
}

export type PictureLine = readonly Segment[];

export interface Frame {
  readonly width: number;
  readonly nowMs: number;
}

const INDENT = "    ";
const QUESTION_LINES = 3;

/** Everything but the talk and the turns. */
export function boardLines(picture: RoomPicture, frame: Frame): readonly PictureLine[] {
  return [
    ...linesOf(wrap(placeWords(picture, frame.nowMs), frame.width), "plain"),
    ...nowLines(picture, frame),
    ...agentLines(picture, frame),
    ...foldedLines(picture, frame),
    ...whyLines(picture, frame),
  ];
}

/** Where the room is. */
export function placeWords({ path, machine }: Pick<RoomPicture, "path" | "machine">, nowMs: number): string {
  return machine === null ? oneLine(path) : `${oneLine(path)} ${whereWords(machine, nowMs)}`;
}

export function nowLines(picture: RoomPicture, frame: Frame): readonly PictureLine[] {
  const { now } = picture;
  const view = stickView(picture, frame.nowMs);
  const [mark, text] = stickWords(view);
  const role = {
    owned: "holder",
    stale_owner: "warning",
    silent_owner: "warning",
    owner_gone: "gone",
    reserved: "warning",
  } as const;
  const pause = pauseWords(view);
  const { holder, guard, protection, state } = now;
  return [
    ...marked({ mark, role: state in role ? role[state as keyof typeof role] : "dim" }, text, frame),
    ...(holder?.purpose ? linesOf(`${INDENT}${wrap(oneLine(holder.purpose), frame.width, INDENT)}`, "dim") : []),
    ...(pause ? marked({ mark: pause[0], role: "warning" }, pause[1], frame) : []),
    ...(guard === "off" || state === "closed"
      ? []
      : linesOf(
          `  ${wrap(`guard: ${guard}${protection ? `, ${protection.level}` : ""}`, frame.width, INDENT)}`,
          "plain",
        )),
  ];
}

/** The stick and a pause, as their words need them. */
export function stickView(picture: RoomPicture, nowMs: number): StickView {
  const { now, me } = picture;
  return {
    room: {
      state: now.state,
      turnId: now.turnId,
      owner: now.holder?.agentId ?? null,
      reservedFor: now.reservation?.agentId ?? null,
      leaseExpiresAt: now.holder?.leaseUntil ?? null,
      claimExpiresAt: now.reservation?.until ?? null,
      paused: now.paused,
    },
    me,
    nowMs,
    machine: machineOf(picture, now.holder?.agentId ?? null),
    since: now.holder?.since ?? null,
    nameOf: (agentId) => (agentId === null ? "nobody" : nameOf(picture, agentId as AgentRow["agentId"])),
  };
}

/** A few lines for each agent: what it does, what it asks a person, and its card. */
export function agentLines(picture: RoomPicture, frame: Frame): readonly PictureLine[] {
  return picture.agents.flatMap((row) => {
    const name = nameOf(picture, row.agentId);
    const facts = agentFacts(row, picture, frame.nowMs).join(", ");
    const you = row.agentId === picture.me ? " ← you" : "";
    const card = row.holdsStick ? null : (row.card?.purpose ?? null);
    return [
      ...marked({ mark: AGENT_MARKS[row.mark], role: roleOf(row), name: `${name}${you}` }, facts, frame),
      ...questionLines(row, frame),
      ...(card === null ? [] : linesOf(`${INDENT}${wrap(oneLine(card), frame.width, INDENT)}`, "dim")),
      ...(row.card?.blockedOn === undefined
        ? []
        : linesOf(`${INDENT}${wrap(`blocked on: ${oneLine(row.card.blockedOn)}`, frame.width, INDENT)}`, "warning")),
    ];
  });
}

function questionLines({ needs }: AgentRow, { width }: Frame): readonly PictureLine[] {
  if (needs?.kind !== "answer" || needs.question === null) return [];
  const bar = `${INDENT}│ `;
  const lines = wrap(oneLine(needs.question.replace(/\s+/g, " ")), width - bar.length).split("\n");
  const shown = lines.slice(0, QUESTION_LINES);
  if (lines.length > shown.length) shown.push("…");
  return shown.map((text) => [{ text: `${bar}${text}`, role: "needs_you" }]);
}

function roleOf({ mark, holdsStick }: AgentRow): Role {
  if (mark === "needs_you") return "needs_you";
  if (mark === "silent") return "warning";
  return holdsStick ? "holder" : mark === "idle" ? "dim" : "plain";
}

/** Agents that are not here take one line, with what they left behind. */
export function foldedLines(picture: RoomPicture, frame: Frame): readonly PictureLine[] {
  const { gone, away, notListed } = picture.folded;
  const left = (agent: FoldedAgent) => {
    const behind = leftBehind(agent);
    return `${nameOf(picture, agent.agentId)}${behind.length === 0 ? "" : ` (${behind.join(", ")})`}`;
  };
  const more = notListed === 0 ? "" : `${away.length === 0 ? "" : ", "}${notListed} more`;
  const isAway = away.length > 0 || notListed > 0;
  return [
    ...(gone.length === 0 ? [] : marked({ mark: "✗", role: "gone" }, `gone: ${gone.map(left).join(", ")}`, frame)),
    ...(isAway ? marked({ mark: "○", role: "dim" }, `away: ${away.map(left).join(", ")}${more}`, frame) : []),
  ];
}

const NEEDS_YOU: readonly string[] = ["question", "permission", "unanswered"];
const SAID_ABOVE: readonly string[] = ["paused", "holder_gone", "holder_silent", "lease_expired"];

/** Whether an agent is stuck or needs a person, and the lines of the stick and of a pause do not say so already. */
export function hasMoreToSay({ reason, isStuck }: RoomPicture["why"]): boolean {
  return (isStuck || NEEDS_YOU.includes(reason.kind)) && !SAID_ABOVE.includes(reason.kind);
}

export function whyLines(picture: RoomPicture, frame: Frame): readonly PictureLine[] {
  if (!hasMoreToSay(picture.why)) return [];
  const role = NEEDS_YOU.includes(picture.why.reason.kind) ? "needs_you" : "warning";
  return linesOf(wrap(whyWords(picture, frame.nowMs), frame.width, "  "), role);
}

interface Head {
  readonly mark: string;
  readonly role: Role;
  readonly name?: string;
}

/** The mark and the name have the role; further lines stand below the text. */
function marked({ mark, role, name = "" }: Head, text: string, { width }: Frame): readonly PictureLine[] {
  const both = name === "" || text === "" ? `${name}${text}` : `${name}  ${text}`;
  const [first = "", ...rest] = wrap(both, width, INDENT).split("\n");
  const lead = name !== "" && first.startsWith(name) ? name : "";
  const head = { text: `  ${mark} ${lead}`, role };
  return [[head, { text: first.slice(lead.length), role: "plain" }], ...rest.flatMap((line) => linesOf(line, "plain"))];
}

function linesOf(text: string, role: Role): readonly PictureLine[] {
  return text.split("\n").map((line) => [{ text: line, role }]);
}
