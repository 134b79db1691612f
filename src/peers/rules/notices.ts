/** What a person is notified of, in which words, and how often. */
import type { EventOf, RoomEvent } from "../../core/event.ts";
import type { AgentId, RoomId } from "../../core/ids.ts";
import type { MailChange } from "../../core/mail-records.ts";
import { cutTo, oneLine } from "../../core/visible.ts";
import type { Room } from "../../room/rules/room.ts";

export type NoticeKind = "question" | "holder_gone" | "holder_silent" | "foreign_write" | "test";

export interface Notice {
  readonly kind: NoticeKind;
  readonly roomId: RoomId | null;
  /** The room's directory. */
  readonly path: string | null;
  /** The agent that asks, holds or wrote, by the name that people know; null if nobody knows it. */
  readonly agent: string | null;
  /** The question, or the paths that were written. */
  readonly text: string | null;
  /** Several processes may see the cause: only the first one shows it. Null: only one process can see it. */
  readonly onceFor: string | null;
}

interface Committed {
  readonly room: Room;
  readonly events: readonly RoomEvent[];
  readonly mail: MailChange | undefined;
}

/** What of a change the person at this machine is told: new questions to this person, and writes without the stick. */
export function noticesOf({ room, events, mail }: Committed, isMe: (agentId: AgentId) => boolean): readonly Notice[] {
  return events.flatMap((event) => {
    if (event.type === "foreign_write") return isByAgent(event) ? [foreignWrite(room, event)] : [];
    if (event.type !== "message_sent") return [];
    const ask = mail?.asks.get(event.eventId);
    return ask?.state === "waiting" && isMe(ask.peer) ? [question(room, event)] : [];
  });
}

/** A person may edit files between turns, so a write that no agent can be behind is not told. */
export function isByAgent({ fromAgentId, payload: { nearby = [] } }: EventOf<"foreign_write">): boolean {
  return fromAgentId !== null || nearby.length > 0;
}

function question(room: Room, event: EventOf<"message_sent">): Notice {
  return notice(room, "question", event.fromAgentId, event.payload.body, null);
}

function foreignWrite(room: Room, event: EventOf<"foreign_write">): Notice {
  const { paths, more } = event.payload;
  const text = [...paths.slice(0, MOST_PATHS), ...moreThan(paths.length + more - MOST_PATHS)].join(", ");
  return notice(room, "foreign_write", event.fromAgentId, text, null);
}

/** Once in a turn for each ground. */
export function lostHolder(room: Room, ground: "owner_gone" | "host_silent" | "owner_timeout"): Notice {
  const kind = ground === "owner_gone" ? "holder_gone" : "holder_silent";
  return notice(room, kind, room.state.owner, null, `${room.id} ${room.state.turnId} ${kind}`);
}

export const TRIAL: Notice = { kind: "test", roomId: null, path: null, agent: null, text: null, onceFor: null };

function notice(
  { id, path, presence }: Room,
  kind: NoticeKind,
  agentId: AgentId | null,
  text: string | null,
  onceFor: string | null,
): Notice {
  const agent = agentId === null ? null : (presence.get(agentId)?.handle ?? agentId);
  return { kind, roomId: id, path, agent, text: text && cutTo(text, LONGEST_TEXT), onceFor };
}

const MOST_PATHS = 3;
const LONGEST_TEXT = 1000;
const LONGEST_TITLE = 80;
const LONGEST_BODY = 240;

export interface NoticeWords {
  readonly title: string;
  readonly body: string;
}

/** `leftOut`: how many notices before this one were not shown. Every character is visible, and both are one line. */
export function noticeWords({ kind, path, agent, text }: Notice, leftOut: number): NoticeWords {
  const where = path === null ? "" : ` (${path.slice(path.lastIndexOf("/") + 1) || path})`;
  const body = cutTo(oneLine(bodyOf(kind, text)), LONGEST_BODY);
  const others = leftOut === 0 ? "" : ` (${leftOut} more before this one left out)`;
  return { title: `tt: ${cutTo(oneLine(titleOf(kind, agent) + where), LONGEST_TITLE)}`, body: body + others };
}

export function titleOf(kind: NoticeKind, agent: string | null): string {
  switch (kind) {
    case "question":
      return `${agent} waits for your answer`;
    case "holder_gone":
      return `${agent} is gone and has the stick`;
    case "holder_silent":
      return `${agent} is silent and has the stick`;
    case "foreign_write":
      return agent === null ? "files changed without the stick" : `${agent} wrote without the stick`;
    case "test":
      return "notifications work";
  }
}

function bodyOf(kind: NoticeKind, text: string | null): string {
  if (text !== null) return text;
  return kind === "test" ? "You asked for this one: tt notify test" : "Others wait for it. See: tt why";
}

function moreThan(count: number): readonly string[] {
  return count > 0 ? [`and ${count} more`] : [];
}

/**
 * How many notices are shown: each minute has a few slots, and a notice needs one. A slot is a file that only one process
 * can create, so the processes need no lock.
 */
export const SLOTS_A_MINUTE = 5;
const MINUTE_MS = 60_000;
const SLOT = "shown";

/** The slots of the minute, in the order in which they are tried. */
export function slotsAt(wallMs: number): readonly string[] {
  const minute = Math.floor(wallMs / MINUTE_MS);
  return Array.from({ length: SLOTS_A_MINUTE }, (_, index) => `${SLOT}.${minute}.${index}`);
}

/** Whether a name is that of a slot which nobody asks for any more. Some process may still be in the minute before. */
export function isOldSlot(name: string, wallMs: number): boolean {
  return name.startsWith(`${SLOT}.`) && ![wallMs, wallMs - MINUTE_MS].some((at) => slotsAt(at).includes(name));
}
