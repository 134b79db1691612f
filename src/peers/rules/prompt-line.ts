/**
 * The line for a shell prompt or a status line: `stick:codex paused ✉1 ?claude`. Its first half is about a room, its
 * second about the mail of one reader. Shells, tmux and terminals show it, so no name in it may mean anything to them.
 */
import type { AgentId } from "../../core/ids.ts";
import { cutTo } from "../../core/visible.ts";
import type { Room } from "../../room/rules/room.ts";

export interface PromptStick {
  /** The holder's name; null while nobody holds the stick. */
  readonly holder: string | null;
  readonly isMine: boolean;
  readonly isReservedForMe: boolean;
  /** The holder is gone, or silent for too long. */
  readonly isHolderLost: boolean;
  readonly isPaused: boolean;
}

/** What the log says about a room. Whether the holder still lives is not in it. */
export function stickIn({ state, presence }: Room, isMe: (agentId: AgentId) => boolean): PromptStick {
  const { owner, reservation } = state;
  return {
    holder: owner === null ? null : (presence.get(owner)?.handle ?? owner),
    isMine: owner !== null && isMe(owner),
    isReservedForMe: reservation !== null && isMe(reservation.agentId),
    isHolderLost: false,
    isPaused: state.paused !== null,
  };
}

export function stickWords({ holder, isMine, isReservedForMe, isHolderLost, isPaused }: PromptStick): string {
  const name = isMine ? "you" : holder && promptSafe(holder);
  const stick = name === null ? (isReservedForMe ? "stick:yours?" : "") : `stick:${name}${isHolderLost ? "!" : ""}`;
  return joined(stick, isPaused ? "paused" : "");
}

const MOST_NAMES = 3;
const MOST_COUNTED = 99;

/** `askers`: the agents that wait for the reader's answer. */
export function mailWords(unread: number, askers: readonly string[]): string {
  const names = [...new Set(askers.map(promptSafe))];
  const more = names.length > MOST_NAMES ? `+${names.length - MOST_NAMES}` : "";
  const mail = unread > 0 ? `✉${unread > MOST_COUNTED ? `${MOST_COUNTED}+` : unread}` : "";
  return joined(mail, names.length > 0 ? `?${names.slice(0, MOST_NAMES).join(",")}${more}` : "");
}

/** Whether such words tell of an agent that waits for an answer. */
export function tellsOfQuestions(words: string): boolean {
  return words.includes("?");
}

export function joined(...words: readonly string[]): string {
  return words.filter(Boolean).join(" ");
}

const LONGEST_NAME = 24;
const PLAIN = /^[\w.:@-]*$/;

/**
 * A name with nothing in it that a shell, a prompt, tmux or a terminal interprets: letters and digits of any script, and
 * a few signs. It has a bounded length.
 */
export function promptSafe(name: string): string {
  // Most names are plain, and the character tables of the other expression take time to load.
  const safe = PLAIN.test(name) ? name : name.normalize("NFC").replace(/[^\p{L}\p{N}_.:@-]/gu, "_");
  return cutTo(safe, LONGEST_NAME);
}
