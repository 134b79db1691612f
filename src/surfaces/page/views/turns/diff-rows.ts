/** The rows of the table that shows a patch: heads of files, and the rows of those that are unfolded. Pure. */
import { visible } from "../../../../core/visible.ts";
import type { PatchFile, PatchRow } from "./patch-files.ts";

export interface FileHead {
  readonly kind: "file";
  readonly file: PatchFile;
  readonly isFolded: boolean;
}

export type DiffRow = (FileHead | PatchRow) & {
  /** The same while files are folded. */
  readonly key: string;
  /** The number of its file. */
  readonly fileIndex: number;
};

/** A patch with more lines than this opens with its files folded but for the first ones. */
const MOST_UNFOLDED = 20_000;

export function foldedAtFirst(files: readonly PatchFile[]): ReadonlySet<number> {
  let lines = 0;
  const folded = new Set<number>();
  for (const [index, { rows }] of files.entries()) {
    lines += rows.length;
    if (index > 0 && lines > MOST_UNFOLDED) folded.add(index);
  }
  return folded;
}

export function diffRows(files: readonly PatchFile[], folded: ReadonlySet<number>): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  for (const [fileIndex, file] of files.entries()) {
    const isFolded = folded.has(fileIndex);
    rows.push({ kind: "file", file, isFolded, key: String(fileIndex), fileIndex });
    if (isFolded) continue;
    for (const [index, row] of file.rows.entries()) rows.push({ ...row, key: `${fileIndex}:${index}`, fileIndex });
  }
  return rows;
}

/** The rows in which a text stands, in any case; none without a text. */
export function findInRows(rows: readonly DiffRow[], text: string): readonly number[] {
  const wanted = text.toLowerCase();
  if (wanted === "") return [];
  return rows.flatMap((row, index) => (wordsOf(row).toLowerCase().includes(wanted) ? [index] : []));
}

function wordsOf(row: DiffRow): string {
  if (row.kind === "file") return row.file.path;
  return row.kind === "hunk" ? "" : row.text;
}

/** The next head of a file after a row, or the one before it. Null: there is none. */
export function fileBeside(rows: readonly DiffRow[], from: number, direction: 1 | -1): number | null {
  for (let at = from + direction; at >= 0 && at < rows.length; at += direction)
    if (rows[at]?.kind === "file") return at;
  return null;
}

/** A browser needs seconds for a line of a million characters, such as one that a program made. */
const MOST_SHOWN = 2000;

export interface ShownPart {
  readonly text: string;
  /** How many characters there are before and after it. */
  readonly before: number;
  readonly after: number;
}

/** The beginning of a long line, or the part of it in which the wanted text stands. */
export function shownPart(line: string, wanted: string): ShownPart {
  if (line.length <= MOST_SHOWN) return { text: line, before: 0, after: 0 };
  const at = wanted === "" ? -1 : line.toLowerCase().indexOf(wanted.toLowerCase());
  const isAtBegin = at + wanted.length <= MOST_SHOWN;
  const from = wholeCharacterAt(line, isAtBegin ? 0 : Math.max(0, Math.min(at, line.length) - MOST_SHOWN / 2));
  const to = wholeCharacterAt(line, Math.min(line.length, from + MOST_SHOWN));
  return { text: line.slice(from, to), before: from, after: line.length - to };
}

/** Not between the two halves of a character. */
function wholeCharacterAt(text: string, at: number): number {
  return /^[\udc00-\udfff]/.test(text.charAt(at)) && /[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at;
}

/** A line as it is shown. The line breaks of another system would else be noise at each end of a line. */
export function shownLine(text: string): string {
  return text.endsWith("\r") ? `${visible(text.slice(0, -1))}␍` : visible(text);
}
