/** The flow of the chat: messages and events as lines. Texts of others are wrapped and made visible, never cut. */
import type { EventPayloads, EventType, MessagePayload, RoomEvent } from "../../core/event.ts";
import type { AgentId } from "../../core/ids.ts";
import { clockOf, wallMsOf } from "../../core/time.ts";
import { oneLine } from "../../core/visible.ts";
import type { ReceivedMessage } from "../../mail/rules/message.ts";
import type { MarkedRecipient } from "../../peers/rules/picture-talk.ts";
import { durationText } from "../cli/duration.ts";
import type { Painter } from "../cli/text/paint.ts";
import { widthOf } from "../cli/text/width.ts";
import { wrap } from "../cli/text/wrap.ts";
import { marksText } from "./marks.ts";

export interface TalkView {
  readonly width: number;
  readonly paint: Painter;
  /** Who reads; null for a reader without a name. */
  readonly me: AgentId | null;
  /** The handle of an agent, or its id. */
  readonly nameOf: (agentId: AgentId) => string;
}

/** The reader. */
const YOU = "you";

/** Below this the time has no room of its own. */
const NARROW = 50;

/** A line where the day changes. */
export function dayLine(day: string, { paint }: TalkView): string {
  return paint.bold(`── ${day}`);
}

/** One event as lines. `marks` are those of a message, at this moment. */
export function eventLines(event: RoomEvent, view: TalkView, marks: readonly MarkedRecipient[] = []): string[] {
  return event.type === "message_sent" ? messageLines(event, view, marks) : happeningLines(event, view);
}

type MessageEvent = Extract<RoomEvent, { readonly type: "message_sent" }>;

function messageLines(event: MessageEvent, view: TalkView, marks: readonly MarkedRecipient[]): string[] {
  const { paint, width } = view;
  const { payload, fromAgentId, toAgentId } = event;
  const isMine = fromAgentId !== null && fromAgentId === view.me;
  const from = fromAgentId === null ? "nobody" : nameFor(fromAgentId, view);
  const to = toAgentId === null ? "room" : nameFor(toAgentId, view);
  const kind = kindText(payload, isMine);
  const head = `${timeOf(event, view)}${from} → ${to}${kind === "" ? "" : ` (${kind})`}`;
  const isForMe = toAgentId !== null && toAgentId === view.me;
  const colour = isForMe ? paint.yellow : isMine || payload.origin === "human" ? paint.cyan : paint.bold;
  const marked = marksText(marks, view);
  const headLines = wrap(head, width, "  ").split("\n").map(colour);
  if (marked !== "") {
    const last = headLines.pop() ?? "";
    const fits = widthOf(head) + widthOf(marked) + 2 <= width && headLines.length === 0;
    const below = wrap(marked, width - 2).split("\n");
    headLines.push(
      ...(fits ? [`${last}  ${paint.dim(marked)}`] : [last, ...below.map((line) => paint.dim(`  ${line}`))]),
    );
  }
  return [...headLines, ...quotedLines(payload.body, width)];
}

/** Mail that is not in the flow of this room. */
export function mailLines(message: ReceivedMessage, view: TalkView): string[] {
  const { from, handle, body, room, createdAt } = message;
  const { time } = clockOf(wallMsOf(createdAt));
  const kind = kindText(message);
  const where = room.path === null ? "a room that is gone" : oneLine(room.path);
  const head = `${time} ${oneLine(handle ?? view.nameOf(from))} → you, in ${where}${kind === "" ? "" : ` (${kind})`}`;
  return [...wrap(head, view.width, "  ").split("\n").map(view.paint.yellow), ...quotedLines(body, view.width)];
}

/** Every line of a body stands behind a bar, so that no body can look like what tt itself says. */
export function quotedLines(body: string, width: number): readonly string[] {
  return wrap(body, width - 2)
    .split("\n")
    .map((line) => `│ ${line}`.trimEnd());
}

type Kind = Pick<MessagePayload, "deliveryHint" | "origin"> & Pick<ReceivedMessage, "kind" | "replyTo">;

function kindText({ kind, deliveryHint, replyTo, origin }: Kind, isMine = false): string {
  const parts = [
    ...(origin === "human" && !isMine ? ["a person"] : []),
    ...(kind === "ask" ? ["asks and waits"] : kind === "stick_request" ? ["asks for the stick"] : []),
    ...(deliveryHint === "interrupt" ? ["interrupts"] : []),
    ...(replyTo === undefined ? [] : ["answers"]),
  ];
  return parts.join(", ");
}

function happeningLines(event: RoomEvent, view: TalkView): string[] {
  const { paint, width } = view;
  const tell = HAPPENINGS[event.type] as (payload: object, told: Told) => string;
  const who = event.fromAgentId === null ? "time" : nameFor(event.fromAgentId, view);
  const to = event.toAgentId === null ? "nobody" : nameFor(event.toAgentId, view);
  const name = (agentId: AgentId) => nameFor(agentId, view);
  const told = tell(event.payload, { who, to, turnId: event.turnId, name });
  const why = event.reason === null ? "" : `: ${event.reason}`;
  const status = event.handoff === null ? "" : `: ${event.handoff.status}`;
  const text = `${timeOf(event, view)}· ${told}${why || status}`;
  const colour = event.type === "foreign_write" ? paint.red : paint.dim;
  return wrap(text, width, "  ").split("\n").map(colour);
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
};

function turnOf(name: string): string {
  return name === YOU ? "your turn" : `the turn of ${name}`;
}

const LEFT = { session_ended: "its session ended", process_gone: "its process is gone", expired: "not seen for long" };

function next(reservedFor: AgentId | null, name: (agentId: AgentId) => string): string {
  return reservedFor === null ? "" : `; it is reserved for ${name(reservedFor)}`;
}

function nameFor(agentId: AgentId, { me, nameOf }: TalkView): string {
  return agentId === me ? YOU : oneLine(nameOf(agentId));
}

function timeOf({ createdAt }: RoomEvent, { width }: TalkView): string {
  const { time } = clockOf(wallMsOf(createdAt));
  return width < NARROW ? `${time.slice(0, 5)} ` : `${time} `;
}
