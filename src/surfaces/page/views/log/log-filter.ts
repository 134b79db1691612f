/** Which events the log shows: by what they are about, by an agent, by words in them, and by their time. Pure. */
import type { EventType, RoomEvent } from "../../../../core/event.ts";
import type { AgentId } from "../../../../core/ids.ts";
import { wallMsOf } from "../../../../core/time.ts";
import type { RoomPicture } from "../../../../peers/rules/picture.ts";
import { namesOf, withNamesIn } from "../../../../room/rules/event-view.ts";
import { happeningWords, type WordsReader } from "../../../picture/happening-words.ts";
import { messageKindWords } from "../../../picture/message-words.ts";

export const LOG_GROUPS = ["everything", "stick", "messages", "people", "notes", "writes", "unknown"] as const;

export type LogGroup = (typeof LOG_GROUPS)[number];

export const GROUP_WORDS: Readonly<Record<LogGroup, string>> = {
  everything: "Everything",
  stick: "Stick and room",
  messages: "Messages",
  people: "Who came and went",
  notes: "Notes",
  writes: "Foreign writes and checks",
  unknown: "Of a newer program",
};

const GROUP_OF: Readonly<Record<EventType, Exclude<LogGroup, "everything" | "unknown">>> = {
  claim: "stick",
  release: "stick",
  pass: "stick",
  takeover: "stick",
  given: "stick",
  paused: "stick",
  resumed: "stick",
  close: "stick",
  reopen: "stick",
  reservation_expired: "stick",
  evidence_attached: "stick",
  policy_changed: "stick",
  message_sent: "messages",
  kick: "people",
  member_joined: "people",
  member_left: "people",
  state_changed: "people",
  session_superseded: "people",
  note_added: "notes",
  note_resolved: "notes",
  foreign_write: "writes",
  check_run: "writes",
};

export interface LogFilter {
  readonly group: LogGroup;
  /** An agent's id: what it did, and what was done to it or said to it. */
  readonly agent: AgentId | null;
  /** Words that the event has, in capitals or not. */
  readonly text: string;
  /** Wall times in milliseconds. The event happened at `from` or later, and before `until`. */
  readonly from: number | null;
  readonly until: number | null;
}

export const NO_FILTER: LogFilter = { group: "everything", agent: null, text: "", from: null, until: null };

export function isFiltering({ group, agent, text, from, until }: LogFilter): boolean {
  return group !== "everything" || agent !== null || text.trim() !== "" || from !== null || until !== null;
}

/** Says of an event whether it is shown. Prepared once for many events. */
export type EventTest = (event: RoomEvent) => boolean;

/** `names`: those under which the agent of the filter is known. */
export function testOf(filter: LogFilter, names: ReadonlySet<AgentId>, reader: WordsReader): EventTest {
  const { group, agent } = filter;
  const wanted = filter.text.trim().toLowerCase();
  return (event) =>
    (group === "everything" || groupOf(event.type) === group) &&
    isWithin(event, filter) &&
    (agent === null || isAbout(event, names)) &&
    (wanted === "" || hasWords(event, wanted, reader));
}

/** All names of an agent, as far as the events tell. */
export function namesOfAgent(events: readonly RoomEvent[], agent: AgentId | null): ReadonlySet<AgentId> {
  return agent === null ? new Set() : withNamesIn(events, new Set([agent]));
}

export function groupOf(type: string): LogGroup {
  // A newer program may have written what this one does not know.
  return Object.hasOwn(GROUP_OF, type) ? GROUP_OF[type as EventType] : "unknown";
}

/** By the wall clock that its writer had, also where that clock jumped. */
function isWithin({ createdAt }: RoomEvent, { from, until }: LogFilter): boolean {
  if (from === null && until === null) return true;
  const atMs = wallMsOf(createdAt);
  return (from === null || atMs >= from) && (until === null || atMs < until);
}

function isAbout(event: RoomEvent, names: ReadonlySet<AgentId>): boolean {
  const { fromAgentId } = event;
  return (fromAgentId !== null && names.has(fromAgentId)) || namesOf(event).some((name) => names.has(name));
}

/** The cheap places first: a long log is searched while the person types. */
function hasWords(event: RoomEvent, wanted: string, reader: WordsReader): boolean {
  const has = (text: string) => text.toLowerCase().includes(wanted);
  if (String(event.seq) === wanted || has(event.type)) return true;
  if (event.type === "message_sent") return has(messageLine(event, reader)) || has(event.payload.body);
  return has(happeningWords(event, reader)) || (event.handoff !== null && has(JSON.stringify(event.handoff)));
}

type MessageEvent = Extract<RoomEvent, { readonly type: "message_sent" }>;

/** The sender, the recipient and the kind of a message, in one line. */
export function messageLine({ fromAgentId, toAgentId, payload }: MessageEvent, { me, nameOf }: WordsReader): string {
  const called = (agentId: AgentId | null, none: string) =>
    agentId === null ? none : agentId === me ? "you" : nameOf(agentId);
  const kind = messageKindWords(payload, fromAgentId === me);
  return `${called(fromAgentId, "nobody")} → ${called(toAgentId, "the room")}${kind === "" ? "" : ` (${kind})`}`;
}

/** A longer list helps nobody to choose. Its other agents are found by words. */
const MOST_AGENTS = 200;

/** Those that are here, then those that acted last. */
export function agentsToChoose(
  { agents, folded }: Pick<RoomPicture, "agents" | "folded">,
  events: readonly RoomEvent[],
  chosen: AgentId | null,
): readonly AgentId[] {
  const listed = [...agents, ...folded.gone, ...folded.away].map(({ agentId }) => agentId);
  const all = new Set([...(chosen === null ? [] : [chosen]), ...listed]);
  for (let at = events.length - 1; at >= 0 && all.size < MOST_AGENTS; at -= 1) {
    const author = events[at]?.fromAgentId ?? null;
    if (author !== null) all.add(author);
  }
  return [...all];
}
