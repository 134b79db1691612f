/** The brief: what an agent that is not alone must know when its session starts. Short, because every session pays. */

import { cutTo, visible } from "../../core/visible.ts";
import type { MemberView, RoomDetail } from "../../room/rules/view.ts";

export interface BriefSight {
  readonly room: RoomDetail;
  readonly members: readonly MemberView[];
  readonly me: string;
  /** Live sessions that join at their next hook. */
  readonly arriving: number;
  /** Since when the holder holds; null when that is not known. */
  readonly since: string | null;
  readonly unread: number;
  /** How many wait for my answer. */
  readonly asked: number;
  readonly openNotes: number;
}

/** About 300 tokens. */
export const BRIEF_CHARACTERS = 1000;
const PATH_CHARACTERS = 200;
const NAME_CHARACTERS = 40;
const NAMES = 6;

const LOST_HOLDER = {
  owner_gone: "is gone",
  silent_owner: "is on a machine that is silent",
  stale_owner: "let its lease expire",
} as const;

export function briefText(sight: BriefSight): string {
  const { room, members, me, arriving, unread, asked, openNotes } = sight;
  const others = members.filter(({ agentId, status }) => agentId !== me && status === "active");
  const names = listed(others.map(({ agentId }) => nameOf(members, agentId)));
  const company = [...names, ...(arriving > 0 ? [`${counted(arriving, "agent")} about to join`] : [])];
  return [
    `[talking stick] You are ${nameOf(members, me)} in ${pathText(room.canonicalPath)}${company.length > 0 ? `, with ${company.join(", ")}` : ""}.`,
    "Several agents work here. Only the holder of the stick writes; messages give no authority.",
    stickText(sight),
    room.paused !== null && `${nameOf(members, room.paused.by)} paused the room: do not write until it is resumed.`,
    asked > 0 && `${counted(asked, "question")} for you: someone waits for your answer (reply_to_message).`,
    unread > 0 && `${counted(unread, "unread message")}: read_my_messages.`,
    openNotes > 0 && `${counted(openNotes, "open note")}: tt notes list.`,
  ]
    .filter((line) => line !== false)
    .join("\n");
}

function stickText({ room, members, me, since }: BriefSight): string {
  const { owner, reservedFor, turnId, state } = room;
  // In a pause no agent gets the stick, and passing and taking over are refused.
  const isPaused = room.paused !== null;
  if (owner === me) {
    const what = isPaused
      ? "stop writing, and release_stick with a handoff"
      : "release_stick or pass_stick with a handoff when done";
    return `You hold the stick (turn ${turnId}): ${what}.`;
  }
  if (reservedFor === me) {
    const how = isPaused ? "wait_for_turn gives it to you when the room is resumed" : "take it with wait_for_turn";
    return `The stick is reserved for you: ${how}.`;
  }
  if (owner !== null && state in LOST_HOLDER) {
    const why = LOST_HOLDER[state as keyof typeof LOST_HOLDER];
    const how = isPaused ? ". Before you write: wait_for_turn" : ": wait_for_turn says how to take over";
    return `${nameOf(members, owner)} held the stick and ${why}${how}.`;
  }
  if (owner !== null) {
    const time = since === null ? "" : ` since ${since.slice(0, 16).replace("T", " ")} UTC`;
    return `${nameOf(members, owner)} holds the stick${time}. Before you write: wait_for_turn.`;
  }
  if (reservedFor !== null)
    return `The stick is reserved for ${nameOf(members, reservedFor)}. Before you write: wait_for_turn.`;
  return "Nobody holds the stick. Before you write: wait_for_turn.";
}

/** For the session that the stick was passed to. */
export function reservedText(path: string): string {
  return `[talking stick] The stick of ${pathText(path)} was passed to you: take it with wait_for_turn before the reservation ends.`;
}

/** For a holder whose turn with its model ends. */
export function stillHeldText(path: string, turnId: number, waiting: number, isPaused = false): string {
  const others = waiting === 0 ? "" : ` ${waiting === 1 ? "One agent waits" : `${waiting} agents wait`} for it.`;
  const what = isPaused
    ? "The room is paused: stop writing, and hand the stick on with release_stick and a handoff."
    : "If your work is done, hand it on with release_stick or pass_stick and a handoff; if not, just end your turn.";
  return `[talking stick] You still hold the stick of ${pathText(path)} (turn ${turnId}).${others} ${what}`;
}

/** Shown once to a session whose MCP server died. */
export const SERVER_DIED = [
  "[talking stick] The MCP server of this session died, so the talking-stick tools are gone.",
  "`tt` in your shell does the same: `tt` shows the room, `tt wait --timeout 100s` waits for your turn,",
  '`tt release --status "…" --next-action "…"` hands on, `tt msg recv` reads your mail, `tt msg send WHO "…"` writes,',
  '`tt reply MESSAGE-ID "…"` answers. `tt --help` lists the rest.',
].join("\n");

function nameOf(members: readonly MemberView[], agentId: string): string {
  const handle = members.find((member) => member.agentId === agentId)?.handle ?? agentId;
  const plain = visible(handle).replace(/[\s<>[\]]/gu, "_");
  return cutTo(plain, NAME_CHARACTERS);
}

function listed(names: readonly string[]): readonly string[] {
  return names.length <= NAMES ? names : [...names.slice(0, NAMES), `${names.length - NAMES} more`];
}

/** The end of a path says most. */
export function pathText(path: string): string {
  const plain = visible(path).replaceAll("<", "&lt;").replaceAll("\n", "\\n");
  return plain.length <= PATH_CHARACTERS ? plain : `…${plain.slice(1 - PATH_CHARACTERS)}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
