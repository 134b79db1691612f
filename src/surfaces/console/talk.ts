/** The flow of the chat: messages and events as lines. Texts of others are wrapped and made visible, never cut. */
import type { RoomEvent } from "../../core/event.ts";
import { clockOf, wallMsOf } from "../../core/time.ts";
import { oneLine } from "../../core/visible.ts";
import type { ReceivedMessage } from "../../mail/rules/message.ts";
import type { MarkedRecipient } from "../../peers/rules/picture-talk.ts";
import type { Painter } from "../cli/text/paint.ts";
import { happeningWords, readersName, type WordsReader } from "../picture/happening-words.ts";
import { messageKindWords } from "../picture/message-words.ts";
import { widthOf } from "../words/width.ts";
import { wrap } from "../words/wrap.ts";
import { marksText } from "./marks.ts";

export interface TalkView extends WordsReader {
  readonly width: number;
  readonly paint: Painter;
}

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
  const from = fromAgentId === null ? "nobody" : readersName(fromAgentId, view);
  const to = toAgentId === null ? "room" : readersName(toAgentId, view);
  const kind = messageKindWords(payload, isMine);
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
  const kind = messageKindWords(message);
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

function happeningLines(event: RoomEvent, view: TalkView): string[] {
  const { paint, width } = view;
  const text = `${timeOf(event, view)}· ${happeningWords(event, view)}`;
  const colour = event.type === "foreign_write" ? paint.red : paint.dim;
  return wrap(text, width, "  ").split("\n").map(colour);
}

function timeOf({ createdAt }: RoomEvent, { width }: TalkView): string {
  const { time } = clockOf(wallMsOf(createdAt));
  return width < NARROW ? `${time.slice(0, 5)} ` : `${time} `;
}
