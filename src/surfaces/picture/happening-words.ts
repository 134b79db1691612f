/**
 * An event in words: who did what, and what came of it. One sentence without its end, on one line or as many as a reason
 * has. Messages have a form of their own on each surface.
 */
import type { EventPayloads, EventType, RoomEvent } from "../../core/event.ts";
import type { HandoffEvidence } from "../../core/handoff.ts";
import type { AgentId } from "../../core/ids.ts";
import { oneLine } from "../../core/visible.ts";
import { durationText } from "../words/duration-text.ts";

/** Who reads, and how agents are called. */
export interface WordsReader {
  /** Null for a reader without a name. */
  readonly me: AgentId | null;
  /** The handle of an agent, or its id. */
  readonly nameOf: (agentId: AgentId) => string;
}

/** The reader. */
const YOU = "you";

export function happeningWords(event: RoomEvent, reader: WordsReader): string {
  const { type, payload, fromAgentId, toAgentId, turnId, reason, handoff } = event;
  const name = (agentId: AgentId) => readersName(agentId, reader);
  const told = {
    who: fromAgentId === null ? "time" : name(fromAgentId),
    to: toAgentId === null ? "nobody" : name(toAgentId),
  };
  // A newer program may have written what this one does not know.
  const tell = Object.hasOwn(HAPPENINGS, type)
    ? (HAPPENINGS[type] as (payload: object, told: Told) => string)
    : unknownWords(type);
  const why = reason === null ? "" : `: ${reason}`;
  const status = handoff === null ? "" : `: ${handoff.status}`;
  return `${tell(payload, { ...told, turnId, name })}${why || status}`;
}

/** What a reader calls an agent: itself "you", others by their names. */
export function readersName(agentId: AgentId, { me, nameOf }: WordsReader): string {
  return agentId === me ? YOU : oneLine(nameOf(agentId));
}

function unknownWords(type: string) {
  return (payload: object, { who }: Told) =>
    `${who} did something that this program does not know: ${oneLine(type)} ${oneLine(JSON.stringify(payload))}`;
}

interface Told {
  readonly who: string;
  readonly to: string;
  readonly turnId: number;
  readonly name: (agentId: AgentId) => string;
}

const HAPPENINGS: { readonly [Type in EventType]: (payload: EventPayloads[Type], told: Told) => string } = {
  claim: (_, { who, turnId }) => `${who} took the stick, turn ${turnId}`,
  release: ({ givenUp, reservedFor }, { who, name }) =>
    `${who} ${givenUp ? "gave the stick up without a handoff" : "released the stick"}${next(reservedFor, name)}`,
  pass: (_, { who, to }) => `${who} passed the stick to ${to}`,
  takeover: ({ revokedAgentId }, { who, name }) => `${who} took the stick over from ${name(revokedAgentId)}`,
  given: ({ revokedAgentId }, { who, to, name }) =>
    `${who} gave ${to === YOU && who === YOU ? "yourself the stick" : `the stick to ${to}`}${revokedAgentId === null ? "" : `; ${turnOf(name(revokedAgentId))} has ended`}`,
  paused: (_, { who }) => `${who} paused the room`,
  resumed: (_, { who }) => `${who} resumed the room`,
  close: (_, { who }) => `${who} closed the room`,
  reopen: (_, { who }) => `${who} opened the room again`,
  kick: ({ reservedFor }, { who, to, name }) => `${who} removed ${to}${next(reservedFor, name)}`,
  member_joined: ({ reason, harness }, { who }) => `${who} joined${reason === "first" ? "" : " again"} (${harness})`,
  member_left: ({ reason, reservedFor }, { who, name }) =>
    `${who} left${reason === "left" ? "" : `, ${LEFT[reason]}`}${next(reservedFor, name)}`,
  reservation_expired: ({ reservedFor }, { to, name }) => `the reservation for ${to} expired${next(reservedFor, name)}`,
  policy_changed: ({ changes }, { who }) => `${who} changed the policy: ${Object.keys(changes).join(", ")}`,
  message_sent: () => "",
  note_added: ({ preview }, { who }) => `${who} noted: ${oneLine(preview.trimEnd())}`,
  note_resolved: (_, { who }) => `${who} resolved a note`,
  state_changed: ({ card }, { who }) => `${who} works on: ${card.purpose}`,
  session_superseded: ({ supersededAgentId }, { who }) => `${who} was known as ${supersededAgentId} before`,
  foreign_write: ({ paths, more }, { who }) =>
    `${who === "time" ? "an unknown writer" : who} changed ${paths.map(oneLine).join(", ")}${more > 0 ? ` and ${more} more` : ""} without the stick`,
  check_run: ({ command, exitCode, durationMs }, { who }) =>
    `${who} ran ${exitCode === 0 ? "✓" : `✗ ${exitCode}`} ${oneLine(command)} (${durationText(durationMs)})`,
  evidence_attached: ({ evidence }, { turnId }) =>
    `git has ${hasCompared(evidence) ? "" : "not "}compared the files at the end of turn ${turnId}`,
};

/** Git may have failed, or its answer came so late that it may be about the next turn. */
function hasCompared({ tree, dirty, diffStat }: HandoffEvidence): boolean {
  return tree !== undefined || dirty !== null || diffStat !== null;
}

function turnOf(name: string): string {
  return name === YOU ? "your turn" : `the turn of ${name}`;
}

const LEFT = { session_ended: "its session ended", process_gone: "its process is gone", expired: "not seen for long" };

function next(reservedFor: AgentId | null, name: (agentId: AgentId) => string): string {
  return reservedFor === null ? "" : `; it is reserved for ${name(reservedFor)}`;
}
