/** The region at the bottom of the chat: the newest of the talk, the room, the agents, the composer. Pure. */
import type { RoomEvent } from "../../../core/event.ts";
import { oneLine } from "../../../core/visible.ts";
import type { ReceivedMessage } from "../../../mail/rules/message.ts";
import type { RoomPicture } from "../../../peers/rules/picture.ts";
import type { MarkedRecipient } from "../../../peers/rules/picture-talk.ts";
import type { AskedQuestion, StepInQuestion } from "../../picture/step-in.ts";
import { wrap } from "../../words/wrap.ts";
import type { ComposerState } from "../composer.ts";
import { composerLines } from "../composer-lines.ts";
import { cut, saidRows } from "../live-screen.ts";
import { agentsLine, roomLine } from "../room-lines.ts";
import { eventLines, mailLines, type TalkView } from "../talk.ts";

/** A piece of the flow: an event of the log, mail from elsewhere, or words of the chat itself. */
export type FlowItem =
  | { readonly event: RoomEvent; readonly marks: readonly MarkedRecipient[] }
  | { readonly mail: ReceivedMessage }
  | { readonly words: string; readonly tone: "dim" | "yellow" | "red" | "plain" };

export interface ChatState {
  readonly composer: ComposerState;
  readonly addressee: string;
  readonly picture: RoomPicture | null;
  /** The questions that wait for the person's answer, of other rooms, too. */
  readonly asked: readonly AskedQuestion[];
  /** The newest of the flow. What is older is in the terminal's scrollback. */
  readonly tail: readonly FlowItem[];
  /** What the chat says of itself, on the last line. */
  readonly notice: string | null;
  /** A question of the chat itself, which takes the next key. */
  readonly question: StepInQuestion | null;
  /** Why the room cannot be read at the moment. */
  readonly trouble: string | null;
  readonly isReadOnly: boolean;
}

/** More rows would be broken into too many when the terminal becomes narrow. */
const MOST_TAIL_ROWS = 8;
const MOST_COMPOSER_ROWS = 8;
/** What the chat itself says or asks. */
const MOST_SAID_ROWS = 6;

export function flowLines(item: FlowItem, view: TalkView): readonly string[] {
  if ("event" in item) return eventLines(item.event, view, item.marks);
  if ("mail" in item) return mailLines(item.mail, view);
  const colour = item.tone === "plain" ? (text: string) => text : view.paint[item.tone];
  return item.words.split("\n").flatMap((line) => wrap(line, view.width, "  ").split("\n").map(colour));
}

/** How many rows the newest of the flow may have, beside all that must be seen. */
export function tailRows(state: ChatState, view: TalkView, rows: number): number {
  const left = rows - 1 - footer(state, view, rows).length;
  return Math.max(0, Math.min(MOST_TAIL_ROWS, Math.floor(rows / 3), left));
}

/** The oldest items that have no place in so many rows, and those that have. */
export function overflow(
  tail: readonly FlowItem[],
  view: TalkView,
  rows: number,
): { readonly out: readonly FlowItem[]; readonly kept: readonly FlowItem[] } {
  let used = 0;
  let first = tail.length;
  for (; first > 0; first -= 1) {
    used += flowLines(tail[first - 1] as FlowItem, view).length;
    if (used > rows) break;
  }
  return { out: tail.slice(0, first), kept: tail.slice(first) };
}

/** At most one row less than the terminal has. */
export function regionLines(state: ChatState, view: TalkView, rows: number): readonly string[] {
  const talk = state.tail.flatMap((item) => flowLines(item, view));
  return [...talk, ...footer(state, view, rows)].slice(-Math.max(1, rows - 1));
}

function footer(state: ChatState, view: TalkView, rows: number): readonly string[] {
  const { composer, picture, trouble, isReadOnly } = state;
  const { paint, width } = view;
  const mostSaid = Math.max(1, Math.min(MOST_SAID_ROWS, Math.floor(rows / 3)));
  const isTiny = rows < 8;
  const writing = isReadOnly ? [] : composerRows(composer, promptOf(state, width), view, rows);
  return [
    ...(trouble === null ? [] : saidRows(`! ${trouble}`, width, mostSaid).map(paint.red)),
    ...(trouble !== null || picture === null || rows < 4 ? [] : [roomLine(picture, view)]),
    ...(picture === null || isTiny ? [] : [agentsLine(picture, view)]),
    ...writing,
    ...lastLine(state).flatMap((line) => saidRows(line, width, mostSaid).map(paint.yellow)),
  ];
}

/** A question of the chat itself, what it has to say, or an agent's question for as long as it is open. */
function lastLine({ question, notice, asked }: ChatState): readonly string[] {
  if (question !== null) return [`${question.words} [y/N]`];
  if (notice !== null) return [notice];
  const [first] = asked;
  return first ? [`${first.name} asks you. Answer: @${first.name} text`] : [];
}

function composerRows(
  composer: ComposerState,
  prompt: string,
  { width, paint }: TalkView,
  rows: number,
): readonly string[] {
  const maxRows = Math.max(1, Math.min(MOST_COMPOSER_ROWS, Math.floor(rows / 3)));
  return composerLines(composer, { prompt, width, maxRows, cursor: inverse, dim: paint.bold });
}

function promptOf({ addressee }: ChatState, width: number): string {
  return `${cut(oneLine(addressee), Math.max(4, Math.floor(width / 3)))}> `;
}

function inverse(character: string): string {
  return `\u001b[7m${character}\u001b[27m`;
}
