/** The board as lines of a full screen. Pure: at most one row less than the terminal has. */
import { wallMsOf } from "../../core/time.ts";
import { oneLine } from "../../core/visible.ts";
import type { RoomPicture } from "../../peers/rules/picture.ts";
import { type Painter, painted } from "../cli/text/paint.ts";
import { wrap } from "../cli/text/wrap.ts";
import { agentLines, foldedLines, nowLines, type PictureLine, whyLines } from "../picture/board.ts";
import { nameOf } from "../picture/why-words.ts";
import { agentOf, type BoardState, type BoardText, pictureOf } from "./board-state.ts";
import { composerLines } from "./composer-lines.ts";
import { cut } from "./live-screen.ts";

export interface BoardView {
  readonly width: number;
  readonly rows: number;
  readonly paint: Painter;
}

const KEYS_OF_ROOM = "↑↓ agent  ⏎ read  m message  a answer  g give  t take  p pause  d diff  l log  ? help  q quit";
const KEYS_OF_ROOMS = "↑↓ room  ⏎ open  t take  p pause  d diff  l log  ? help  q quit";
const KEYS_OF_TEXT = "↑↓ scroll  Esc back";
const KEYS_TO_LOOK = "↑↓ agent  ⏎ read  d diff  l log  ? help  q quit (read-only: no person started this)";
/** Below this the keys take one line. */
const FEW_ROWS = 16;
const MOST_NOTICE = 4;
const CHOSEN = "❯";

export function boardScreen(state: BoardState, view: BoardView): readonly string[] {
  const foot = footLines(state, view);
  const space = Math.max(1, view.rows - 1 - foot.length);
  const body = bodyLines(state, view, space).slice(0, space);
  const blank = Array.from({ length: space - body.length }, () => "");
  return [...body, ...blank, ...foot].slice(-Math.max(1, view.rows - 1));
}

/** How many rows a text has, and how many of them are seen. */
export function textRows(state: BoardState, view: BoardView): { readonly all: number; readonly seen: number } {
  const seen = Math.max(1, view.rows - 2 - footLines(state, view).length);
  return { all: state.text ? rowsOfText(state.text, view).length : 0, seen };
}

function bodyLines(state: BoardState, view: BoardView, space: number): readonly string[] {
  if (state.text) return textLines(state.text, view, space);
  const blocks = state.roomId === null ? roomBlocks(state, view) : agentBlocks(state, view);
  return windowed(blocks, space);
}

/** Lines that belong together; the chosen block is always seen. */
interface Block {
  readonly lines: readonly string[];
  readonly isChosen: boolean;
}

function windowed(blocks: readonly Block[], space: number): readonly string[] {
  const lines = blocks.flatMap((block) => block.lines.map((line) => ({ line, isChosen: block.isChosen })));
  const last = lines.findLastIndex(({ isChosen }) => isChosen);
  const first = Math.max(0, Math.min(last - space + 1, lines.length - space));
  return lines.slice(first, first + space).map(({ line }) => line);
}

function agentBlocks(state: BoardState, view: BoardView): readonly Block[] {
  const picture = pictureOf(state);
  if (picture === null) return [plainBlock([])];
  const { width, paint } = view;
  const frame = { width, nowMs: wallMsOf(picture.asOf) };
  const paintedAll = (lines: readonly PictureLine[]) => lines.map((line) => painted(line, paint));
  const chosen = agentOf(state);
  return [
    plainBlock([paint.bold(cut(oneLine(picture.path), width)), ...paintedAll(nowLines(picture, frame)), ""]),
    ...picture.agents.map((row) => {
      const lines = agentLines({ ...picture, agents: [row] }, frame);
      return chosenBlock(lines, row.agentId === chosen, paint);
    }),
    plainBlock([...paintedAll(foldedLines(picture, frame)), "", ...paintedAll(whyLines(picture, frame))]),
  ];
}

function roomBlocks(state: BoardState, { width, paint }: BoardView): readonly Block[] {
  if (state.pictures.length === 0)
    return [plainBlock(state.isOpening ? [] : ["No rooms yet. An agent or tt join makes one."])];
  const chosen = pictureOf(state)?.roomId;
  return state.pictures.map((picture) => {
    const frame = { width, nowMs: wallMsOf(picture.asOf) };
    const path: PictureLine = [{ text: `  ${cut(oneLine(picture.path), width - 2)}`, role: "plain" }];
    const lines = [path, ...nowLines(picture, frame), ...needLines(picture), ...whyLines(picture, frame)];
    return chosenBlock(lines, picture.roomId === chosen, paint);
  });
}

/** Which agents need the person. */
function needLines(picture: RoomPicture): readonly PictureLine[] {
  const names = picture.agents
    .filter(({ needs }) => needs?.kind === "permission" || (needs !== null && needs.person === picture.me))
    .map(({ agentId }) => nameOf(picture, agentId));
  return names.length === 0 ? [] : [[{ text: `  ■ ${names.join(", ")}: needs you`, role: "needs_you" }]];
}

function plainBlock(lines: readonly string[]): Block {
  return { lines, isChosen: false };
}

/** The chosen one has a mark at the edge. */
function chosenBlock(lines: readonly PictureLine[], isChosen: boolean, paint: Painter): Block {
  const marked = lines.map((line, index) => {
    const [head, ...rest] = line;
    if (!isChosen || index > 0 || !head) return painted(line, paint);
    return painted([{ ...head, text: head.text.replace(/^ /, CHOSEN) }, ...rest], paint);
  });
  return { lines: marked, isChosen };
}

function textLines(text: BoardText, view: BoardView, space: number): readonly string[] {
  const rows = rowsOfText(text, view);
  const seen = Math.max(1, space - 1);
  const top = Math.min(text.top ?? rows.length, Math.max(0, rows.length - seen));
  const place = rows.length > seen ? ` (${Math.min(rows.length, top + seen)} of ${rows.length})` : "";
  return [view.paint.bold(cut(`${text.title}${place}`, view.width)), ...rows.slice(top, top + seen)];
}

function rowsOfText({ text, tone }: BoardText, { width, paint }: BoardView): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const colour =
      tone === "plain" ? null : line.startsWith("+") ? paint.green : line.startsWith("-") ? paint.red : null;
    const rows = wrap(line, width).split("\n");
    return colour ? rows.map(colour) : rows;
  });
}

function footLines(state: BoardState, view: BoardView): readonly string[] {
  const { paint, width } = view;
  const { question, notice, trouble, writing } = state;
  const troubled = trouble === null ? [] : [paint.red(cut(`! ${trouble}`, width))];
  if (question !== null) return [...troubled, paint.yellow(cut(`${question.words} [y/N]`, width))];
  if (writing) return [...troubled, ...writingLines(state, writing, view)];
  const said = notice === null ? [] : wrap(notice, width).split("\n").slice(0, MOST_NOTICE).map(paint.yellow);
  const keys = view.rows < FEW_ROWS ? cut(keysOf(state), width) : wrap(keysOf(state), width);
  return [...troubled, ...said, ...keys.split("\n").map(paint.dim)];
}

function writingLines(state: BoardState, writing: NonNullable<BoardState["writing"]>, view: BoardView) {
  const picture = pictureOf(state);
  const name = picture ? nameOf(picture, writing.to) : writing.to;
  return composerLines(writing.composer, {
    prompt: `to ${cut(name, Math.max(4, Math.floor(view.width / 3)))}> `,
    width: view.width,
    maxRows: Math.max(1, Math.floor(view.rows / 3)),
    cursor: (character) => `\u001b[7m${character}\u001b[27m`,
    dim: view.paint.bold,
  });
}

function keysOf({ text, roomId, isReadOnly }: BoardState): string {
  if (text) return KEYS_OF_TEXT;
  if (isReadOnly) return KEYS_TO_LOOK;
  return roomId === null ? KEYS_OF_ROOMS : KEYS_OF_ROOM;
}
