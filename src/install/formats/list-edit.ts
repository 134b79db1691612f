/**
 * Adding to and taking from a list in brackets, separated by commas: objects and arrays of JSON, arrays and inline
 * tables of TOML. A new item comes last. It gets its own line if the other items have one each. Comments stay with the
 * items that they follow. Removing an added item restores the text, except for blanks in an empty list.
 */
import type { TextEdit } from "../rules/text-edit.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface List {
  readonly text: string;
  /** The places of its brackets. */
  readonly open: number;
  readonly close: number;
  readonly items: readonly Span[];
}

export interface ListStyle {
  /** How a comment starts that lasts until the end of its line. */
  readonly lineComment: string;
  readonly blockComments: boolean;
  readonly indent: string;
  readonly lineEnd: string;
  /** An empty list stays on its line. */
  readonly oneLine: boolean;
}

/** `indent` is the indent of the line on which the item begins; null if the item shares its line with others. */
export type Render = (indent: string | null) => string;

export function addToList(list: List, style: ListStyle, render: Render): TextEdit {
  const last = list.items.at(-1);
  return last ? addAfter(list, style, last, render) : fillEmpty(list, style, render);
}

function addAfter({ text, open, close, items }: List, style: ListStyle, last: Span, render: Render): TextEdit {
  const first = items[0] ?? last;
  const ownLines = text.slice(open, first.start).includes("\n");
  const comma = commaAfter(text, last.end, close, style);
  const from = comma === null ? last.end : comma + 1;
  const to = ownLines ? endOfLineComment(text, from, close, style) : from;
  const indent = ownLines ? indentAt(text, first.start) : null;
  const gap = indent === null ? gapOnOneLine(text, items) : style.lineEnd + indent;
  const kept = text.slice(from, to);
  const added = `${gap}${render(indent)}`;
  return { at: from, removed: kept, inserted: comma === null ? `,${kept}${added}` : `${kept}${added},` };
}

/**
 * A list without blanks after its commas stays that way. A list without commas follows the style of the rest of the
 * text.
 */
function gapOnOneLine(text: string, [first, second]: readonly Span[]): string {
  const sample = first && second ? text.slice(first.end, second.start) : text;
  return /, |: /.test(sample) ? " " : "";
}

function fillEmpty({ text, open, close }: List, style: ListStyle, render: Render): TextEdit {
  const lead = text.slice(open + 1, close).trimEnd();
  const at = open + 1 + lead.length;
  const removed = text.slice(at, close);
  if (style.oneLine && lead === "") return { at, removed, inserted: render(null) };
  const outer = indentAt(text, open);
  const inner = `${outer}${style.indent}`;
  return { at, removed, inserted: `${style.lineEnd}${inner}${render(inner)}${style.lineEnd}${outer}` };
}

/** The text without one of the items. */
export function takeFromList({ text, open, close, items }: List, style: ListStyle, index: number): string | null {
  const item = items[index];
  if (!item) return null;
  const before = items[index - 1];
  const comma = commaAfter(text, item.end, close, style);
  const lead = before ? before.end : open + 1;
  const leading = text.slice(lead, item.start);
  if (comma === null && before) {
    // The item was the last one: remove the comma before it, and keep the comments in between.
    const own = commaAfter(text, before.end, item.start, style) ?? before.end;
    const between = `${text.slice(before.end, own)}${text.slice(own + 1, item.start)}`.trimEnd();
    return text.slice(0, before.end) + between + text.slice(item.end);
  }
  const left = text.slice(0, lead) + leading.trimEnd() + text.slice(comma === null ? item.end : comma + 1);
  if (items.length > 1) return left;
  const end = close - (text.length - left.length);
  return left.slice(open + 1, end).trim() === "" ? left.slice(0, open + 1) + left.slice(end) : left;
}

/** The place of the comma that follows, before anything but blanks and comments. */
function commaAfter(text: string, from: number, limit: number, style: ListStyle): number | null {
  let at = from;
  while (at < limit) {
    if (/\s/.test(text.charAt(at))) at += 1;
    else {
      const past = commentEnd(text, at, style);
      if (past === null) return text.charAt(at) === "," ? at : null;
      at = past;
    }
  }
  return null;
}

/** The place after the comments on the same line; `from` if there are none. */
function endOfLineComment(text: string, from: number, limit: number, style: ListStyle): number {
  let end = from;
  for (let at = from; at < limit; ) {
    if (/[ \t]/.test(text.charAt(at))) at += 1;
    else {
      const past = commentEnd(text, at, style);
      if (past === null) break;
      at = past;
      end = past;
    }
  }
  return end;
}

/** Where the comment that begins here ends, without its line end; null when none begins. */
function commentEnd(text: string, at: number, { lineComment, blockComments }: ListStyle): number | null {
  if (text.startsWith(lineComment, at)) {
    const length = text.slice(at).search(/\r?\n|\r/);
    return length === -1 ? text.length : at + length;
  }
  if (!blockComments || !text.startsWith("/*", at)) return null;
  const end = text.indexOf("*/", at + 2);
  return end === -1 ? text.length : end + 2;
}

/** The blanks before the first character of the line. */
export function indentAt(text: string, place: number): string {
  const lineStart = text.lastIndexOf("\n", place - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart))?.[0] ?? "";
}

export function lineEndOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}
