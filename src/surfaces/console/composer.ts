/**
 * The text that a person is writing: a pure reducer over keys. The cursor stands before, behind or between whole
 * characters as a person sees them, even if such a character has several code points.
 */
import { utf8Length } from "../../core/limits.ts";
import type { Key, KeyName } from "./keys.ts";

export interface ComposerState {
  readonly text: string;
  /** Where the cursor is, in units of the text; always between two graphemes. */
  readonly cursor: number;
  /** What was sent, oldest first. */
  readonly history: readonly string[];
  /** Which of the history is shown; null while the draft is. */
  readonly recalled: number | null;
  /** The draft, while the history is shown. */
  readonly draft: string;
}

export const EMPTY_COMPOSER: ComposerState = { text: "", cursor: 0, history: [], recalled: null, draft: "" };

const HISTORY_KEPT = 200;

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** One character for each unit. */
const PLAIN = /^[\x20-\x7e\n]*$/;
/** The segmenter takes a time that grows with the square of the length, so it gets pieces. */
const PIECE = 256;

/** The characters of a text, as a person sees them. */
export function graphemesOf(text: string): readonly string[] {
  return PLAIN.test(text) ? text.split("") : [...graphemesIn(text)];
}

/** One after the other. Whether a grapheme ends somewhere depends on no more than the code point behind it. */
function* graphemesIn(text: string): Generator<string> {
  for (let start = 0, length = PIECE; start < text.length; ) {
    const end = pieceEnd(text, start + length);
    const found = Array.from(segmenter.segment(text.slice(start, end)), ({ segment }) => segment);
    // The last one may go on in the next piece.
    const whole = end < text.length ? found.slice(0, -1) : found;
    yield* whole;
    start += whole.reduce((sum, one) => sum + one.length, 0);
    length = whole.length === 0 ? length * 2 : PIECE;
  }
}

/** No code point is cut in two. */
function pieceEnd(text: string, end: number): number {
  return /[\ud800-\udbff]/.test(text[end - 1] ?? "") ? end + 1 : end;
}

/** Whether the text stays within so many bytes with what the key adds. */
export function fits({ text }: ComposerState, key: Key, maxBytes: number): boolean {
  const added = "text" in key ? key.text : "pasted" in key ? key.pasted : "";
  return added === "" || utf8Length(text) + utf8Length(added) <= maxBytes;
}

export function edited(composer: ComposerState, key: Key): ComposerState {
  if ("text" in key) return inserted(composer, key.text);
  if ("pasted" in key) return inserted(composer, key.pasted);
  return "name" in key ? (EDITS[key.name]?.(composer) ?? composer) : composer;
}

export function tooLong(maxBytes: number): string {
  return `A message here has at most ${maxBytes} bytes, so that was not added.`;
}

/** After the text was sent: it is the newest of the history. */
export function submitted({ text, history }: ComposerState): ComposerState {
  const isNew = text.trim() !== "" && history.at(-1) !== text;
  return { ...EMPTY_COMPOSER, history: isNew ? [...history, text].slice(-HISTORY_KEPT) : history };
}

export function withText(composer: ComposerState, text: string): ComposerState {
  return { ...composer, text, cursor: text.length };
}

function inserted(composer: ComposerState, added: string): ComposerState {
  const { text, cursor } = composer;
  return placed(composer, text.slice(0, cursor) + added + text.slice(cursor), cursor + added.length);
}

/** A mark may belong to the character before it, even to a blank; then the cursor stands behind that. */
function placed(composer: ComposerState, text: string, cursor: number): ComposerState {
  let end = lineStart({ text, cursor });
  for (const grapheme of graphemesIn(lineFrom(text, end))) {
    if (end >= cursor) break;
    end += grapheme.length;
  }
  return { ...composer, text, cursor: end };
}

const EDITS: Partial<Record<KeyName, (composer: ComposerState) => ComposerState>> = {
  newline: (composer) => inserted(composer, "\n"),
  backspace: (composer) => erased(composer, leftOf(composer), composer.cursor),
  delete: (composer) => erased(composer, composer.cursor, rightOf(composer)),
  left: (composer) => moved(composer, leftOf(composer)),
  right: (composer) => moved(composer, rightOf(composer)),
  home: (composer) => moved(composer, lineStart(composer)),
  end: (composer) => moved(composer, lineEnd(composer)),
  "word-left": (composer) => moved(composer, wordLeft(composer)),
  "word-right": (composer) => moved(composer, wordRight(composer)),
  "erase-line": (composer) => erased(composer, lineStart(composer), composer.cursor),
  "erase-word": (composer) => erased(composer, wordLeft(composer), composer.cursor),
  "erase-rest": (composer) => erased(composer, composer.cursor, lineEnd(composer)),
  up: (composer) => (lineStart(composer) === 0 ? earlier(composer) : lineAbove(composer)),
  down: (composer) => (lineEnd(composer) === composer.text.length ? later(composer) : lineBelow(composer)),
};

function moved(composer: ComposerState, cursor: number): ComposerState {
  return placed(composer, composer.text, cursor);
}

function erased(composer: ComposerState, from: number, to: number): ComposerState {
  const { text } = composer;
  return placed(composer, text.slice(0, from) + text.slice(to), from);
}

function leftOf({ text, cursor }: ComposerState): number {
  const before = graphemesOf(text.slice(lineStart({ text, cursor }), cursor)).at(-1);
  return Math.max(0, cursor - (before?.length ?? 1));
}

function rightOf({ text, cursor }: ComposerState): number {
  const [next = ""] = graphemesIn(text.slice(cursor));
  return cursor + next.length;
}

/** A line break is a character of its own, so each line can be looked at by itself. */
function lineStart({ text, cursor }: Pick<ComposerState, "text" | "cursor">): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

function lineFrom(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.slice(start) : text.slice(start, end);
}

function lineEnd({ text, cursor }: ComposerState): number {
  const end = text.indexOf("\n", cursor);
  return end === -1 ? text.length : end;
}

function wordLeft({ text, cursor }: ComposerState): number {
  const { length } = text.slice(0, cursor).trimEnd();
  for (let at = length; at > 0; at -= 1) if (/\s/.test(text[at - 1] ?? "")) return at;
  return 0;
}

function wordRight({ text, cursor }: ComposerState): number {
  return cursor + (/^\s*\S*/u.exec(text.slice(cursor))?.[0].length ?? 0);
}

/** The same place in the line that begins there, or the end of that line if it is shorter. */
function sameColumn(composer: ComposerState, start: number): ComposerState {
  const column = graphemesOf(composer.text.slice(lineStart(composer), composer.cursor)).length;
  return moved(composer, start + graphemesOf(lineFrom(composer.text, start)).slice(0, column).join("").length);
}

function lineAbove(composer: ComposerState): ComposerState {
  const above = { ...composer, cursor: lineStart(composer) - 1 };
  return sameColumn(composer, lineStart(above));
}

function lineBelow(composer: ComposerState): ComposerState {
  return sameColumn(composer, lineEnd(composer) + 1);
}

function earlier(composer: ComposerState): ComposerState {
  const { history, recalled, text, draft } = composer;
  const at = (recalled ?? history.length) - 1;
  const found = history[at];
  if (found === undefined) return moved(composer, 0);
  return { ...withText(composer, found), recalled: at, draft: recalled === null ? text : draft };
}

function later(composer: ComposerState): ComposerState {
  const { history, recalled, draft, text } = composer;
  if (recalled === null) return moved(composer, text.length);
  const found = history[recalled + 1];
  if (found === undefined) return { ...withText(composer, draft), recalled: null, draft: "" };
  return { ...withText(composer, found), recalled: recalled + 1 };
}
