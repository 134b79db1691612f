/** The board as lines of a full screen. Pure: at most one row less than the terminal has. */
import type { AgentId } from "../../../core/ids.ts";
import { wallMsOf } from "../../../core/time.ts";
import { oneLine } from "../../../core/visible.ts";
import type { RoomPicture } from "../../../peers/rules/picture.ts";
import { commandFor } from "../../cli/command-for.ts";
import { type Painter, painted } from "../../cli/text/paint.ts";
import { agentLines, foldedLines, nowLines, type PictureLine, placeWords, whyLines } from "../../picture/board.ts";
import { namedStep, nameOf, stepWords } from "../../picture/why-words.ts";
import { wrap } from "../../words/wrap.ts";
import { composerLines } from "../composer-lines.ts";
import { cut, saidRows } from "../live-screen.ts";
import { ONE_LINE, plainText } from "../room-lines.ts";
import { quotedLines } from "../talk.ts";
import { agentOf, type BoardState, type BoardText, pictureOf, type Writing } from "./board-state.ts";

export interface BoardView {
  readonly width: number;
  readonly rows: number;
  readonly paint: Painter;
  /** How the program is called here. */
  readonly tt: string;
}

/** Where there is room for one line, the help tells what does not fit. */
const KEYS_OF_ROOM = "? help  q quit  ↑↓ agent  ⏎ read  m message  a answer  g give  t take  p pause  d diff  l log";
const KEYS_OF_ROOMS = "? help  q quit  ↑↓ room  ⏎ open  a answer  t take  p pause  d diff  l log";
const KEYS_OF_TEXT = "↑↓ scroll  Esc back";
const KEYS_OF_WRITING = "⏎ send  Esc throw away  ^J new line";
const KEYS_TO_LOOK = "? help  q quit  ↑↓ agent  ⏎ read  d diff  l log (read-only: no person started this)";
/** Below this the keys take one line. */
const FEW_ROWS = 16;
const MOST_KEY_ROWS = 3;
/** Fewer rows have none to spare for how many more there are. */
const ROWS_FOR_MORE = 4;
const MOST_NOTICE = 6;
const MOST_WHY = 4;
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
  return windowed(blocks, space, view);
}

/** Lines that belong together; the chosen block is always seen. */
interface Block {
  readonly lines: readonly string[];
  readonly isChosen: boolean;
}

function windowed(blocks: readonly Block[], space: number, { paint, width }: BoardView): readonly string[] {
  const lines = blocks.flatMap((block) => block.lines.map((line) => ({ line, isChosen: block.isChosen })));
  const isCut = lines.length > space && space >= ROWS_FOR_MORE;
  const seen = isCut ? space - 1 : space;
  const last = lines.findLastIndex(({ isChosen }) => isChosen);
  const first = Math.max(0, Math.min(last - seen + 1, lines.length - seen));
  const below = lines.length - first - seen;
  const more = [...(first > 0 ? [`↑ ${first}`] : []), ...(below > 0 ? [`↓ ${below}`] : [])];
  const rows = lines.slice(first, first + seen).map(({ line }) => line);
  return isCut ? [...rows, paint.dim(cut(`  ${more.join("  ")} more`, width))] : rows;
}

function agentBlocks(state: BoardState, view: BoardView): readonly Block[] {
  const picture = pictureOf(state);
  if (picture === null) return [plainBlock([])];
  const { width, paint } = view;
  const frame = { width, nowMs: wallMsOf(picture.asOf) };
  const paintedAll = (lines: readonly PictureLine[]) => lines.map((line) => painted(line, paint));
  const chosen = agentOf(state);
  return [
    plainBlock([paint.bold(cut(placeWords(picture, frame.nowMs), width)), ...paintedAll(nowLines(picture, frame)), ""]),
    ...picture.agents.map((row) => {
      const lines = agentLines({ ...picture, agents: [row] }, frame);
      return chosenBlock(lines, row.agentId === chosen, paint);
    }),
    plainBlock(paintedAll(foldedLines(picture, frame))),
  ];
}

function roomBlocks(state: BoardState, { width, paint }: BoardView): readonly Block[] {
  if (state.pictures.length === 0)
    return [plainBlock(state.isOpening ? [] : ["No rooms yet. An agent or tt join makes one."])];
  const chosen = pictureOf(state)?.roomId;
  return state.pictures.map((picture) => {
    const frame = { width, nowMs: wallMsOf(picture.asOf) };
    const path: PictureLine = [{ text: `  ${cut(placeWords(picture, frame.nowMs), width - 2)}`, role: "plain" }];
    const lines = [path, ...nowLines(picture, frame), ...needLines(picture), ...whyLines(picture, frame)];
    return chosenBlock(lines, picture.roomId === chosen, paint);
  });
}

/** Which agents need the person. */
function needLines(picture: RoomPicture): readonly PictureLine[] {
  const names = needingNames(picture);
  return names.length === 0 ? [] : [[{ text: `  ■ ${names.join(", ")}: needs you`, role: "needs_you" }]];
}

function needingNames({ agents, me, names }: RoomPicture): readonly string[] {
  return agents
    .filter(({ needs }) => needs?.kind === "permission" || (needs !== null && needs.person === me))
    .map(({ agentId }) => nameOf({ names }, agentId));
}

/** What the page that is shown hides: agents of a room that need the person. */
function hiddenNeeds({ text, roomId, pictures }: BoardState, { width, paint }: BoardView): readonly string[] {
  const [first, ...others] = pictures
    .filter(
      (picture) =>
        (text !== null || (roomId !== null && picture.roomId !== roomId)) && needingNames(picture).length > 0,
    )
    .map((picture) => `${needingNames(picture).join(", ")} in ${oneLine(picture.path)}`);
  if (first === undefined) return [];
  const more = others.length === 0 ? "" : ` and in ${others.length} more`;
  return [paint.yellow(cut(`■ needs you: ${first}${more}`, width))];
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
  const { paint, width, rows } = view;
  const { question, notice, trouble, writing } = state;
  const most = Math.max(1, Math.min(MOST_NOTICE, Math.floor(rows / 4)));
  const troubled = trouble === null ? [] : saidRows(`! ${trouble}`, width, most).map(paint.red);
  if (question !== null) return [...troubled, ...saidRows(`${question.words} [y/N]`, width, most).map(paint.yellow)];
  const said = notice === null ? [] : saidRows(notice, width, most).map(paint.yellow);
  if (writing) return [...troubled, ...said, ...writingLines(state, writing, view)];
  const picture = state.text || state.roomId === null || trouble !== null ? null : pictureOf(state);
  const why = picture === null ? [] : whyRows(picture, agentOf(state), view);
  const keys = keyLines(state, view).map(paint.dim);
  return [...troubled, ...hiddenNeeds(state, view), ...why, ...said, ...keys];
}

function keyLines(state: BoardState, { rows, width }: BoardView): readonly string[] {
  const lines = wrap(keysOf(state), width).split("\n");
  if (lines.length === 1 || (rows >= FEW_ROWS && lines.length <= MOST_KEY_ROWS)) return lines;
  return [cut(keysOf(state), width)];
}

function askedRows(words: string, width: number, most: number): readonly string[] {
  const rows = quotedLines(words, width);
  return rows.length <= most ? rows : [...rows.slice(0, most - 1), "│ …"];
}

/** The question stands above its answer. */
function writingLines(state: BoardState, { to, question, composer }: Writing, view: BoardView): readonly string[] {
  const { paint, width, rows } = view;
  const picture = pictureOf(state);
  const name = picture ? nameOf(picture, to) : to;
  const maxRows = Math.max(1, Math.floor(rows / 3));
  const asked =
    question === null || rows < FEW_ROWS / 2
      ? []
      : [cut(`${name} asks:`, width), ...askedRows(question.words, width, maxRows)].map(paint.yellow);
  const composing = composerLines(composer, {
    prompt: `to ${cut(name, Math.max(4, Math.floor(width / 3)))}> `,
    width,
    maxRows,
    cursor: (character) => `\u001b[7m${character}\u001b[27m`,
    dim: paint.bold,
  });
  return [...asked, ...composing, paint.dim(cut(KEYS_OF_WRITING, width))];
}

function keysOf({ text, roomId, isReadOnly }: BoardState): string {
  if (text) return KEYS_OF_TEXT;
  if (isReadOnly) return KEYS_TO_LOOK;
  return roomId === null ? KEYS_OF_ROOMS : KEYS_OF_ROOM;
}

/** Why nobody moves, and the key that helps. Nothing while all goes well. `chosen`: the agent that keys are about. */
function whyRows(picture: RoomPicture, chosen: AgentId | null, view: BoardView): readonly string[] {
  const lines = whyLines(picture, { width: ONE_LINE, nowMs: wallMsOf(picture.asOf) });
  const role = lines[0]?.[0]?.role ?? "warning";
  const words = [...lines.map((line) => plainText(line).trim()), ...wayWords(picture, chosen, view.tt)].join(" ");
  const most = Math.max(1, Math.min(MOST_WHY, Math.floor(view.rows / 4)));
  return words === "" ? [] : saidRows(words, view.width, most).map((text) => painted([{ text, role }], view.paint));
}

function wayWords(picture: RoomPicture, chosen: AgentId | null, tt: string): readonly string[] {
  const { reason, isStuck, step } = picture.why;
  if (step === null || !(isStuck || reason.kind === "unanswered" || reason.kind === "closed")) return [];
  if (reason.kind === "question" || reason.kind === "unanswered") return ["Answer: a"];
  return [`${stepWords(step, picture)}: ${keyFor(picture, chosen) ?? commandFor(namedStep(step, picture), tt)}`];
}

/** Null if the board has no key for the step. */
function keyFor(picture: RoomPicture, chosen: AgentId | null): string | null {
  const { do: operation, with: given = {} } = picture.why.step ?? { do: null };
  const behind = (agent: unknown, key: string) =>
    agent === chosen ? key : `choose ${nameOf(picture, agent as AgentId)}, then ${key}`;
  if (operation === "resume_room") return "p";
  if (operation === "takeover_stick" || operation === "wait_for_turn") return "t";
  if (operation === "give_stick") return behind(given["to_agent_id"], "g");
  return operation === "send_message" ? behind(given["to"], "m") : null;
}
