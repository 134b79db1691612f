/** The composer as lines: wrapped, with a cursor, and no more rows than there is room for. */
import { visible } from "../../core/visible.ts";
import { widthOf } from "../words/width.ts";
import { type ComposerState, graphemesOf } from "./composer.ts";

export interface ComposerView {
  readonly prompt: string;
  readonly width: number;
  readonly maxRows: number;
  /** Marks the character under the cursor. */
  readonly cursor: (character: string) => string;
  readonly dim: (text: string) => string;
}

/** The rows around the cursor. If some are left out, their number stands in place of the prompt. */
export function composerLines(
  composer: ComposerState,
  { prompt, width, maxRows, cursor, dim }: ComposerView,
): string[] {
  const lead = widthOf(prompt);
  const { rows, at } = rowsOf(composer, Math.max(4, width - lead), cursor);
  const first = Math.min(Math.max(0, at - maxRows + 1), Math.max(0, rows.length - maxRows));
  const shown = rows.slice(first, first + maxRows);
  const hidden = rows.length - shown.length;
  const begin = hidden > 0 ? `+${hidden}> `.padEnd(lead).slice(0, lead) : prompt;
  return shown.map((row, index) => `${index === 0 ? dim(begin) : " ".repeat(lead)}${row}`);
}

interface Rows {
  readonly rows: readonly string[];
  /** The row that the cursor is in. */
  readonly at: number;
}

/** Line by line: only in the line of the cursor a row depends on it. */
function rowsOf({ text, cursor }: ComposerState, width: number, mark: (character: string) => string): Rows {
  const rows: string[] = [];
  let at = 0;
  let start = 0;
  for (const line of text.split("\n")) {
    const inLine = cursor - start;
    if (inLine >= 0 && inLine <= line.length) {
      const own = rowsOfLine(line, width, { at: inLine, mark });
      at = rows.length + own.at;
      rows.push(...own.rows);
    } else rows.push(...(PLAIN.test(line) ? slices(line, width) : rowsOfLine(line, width, null).rows));
    start += line.length + 1;
  }
  return { rows, at };
}

/** One column for each unit. */
const PLAIN = /^[\x20-\x7e]*$/;

function slices(line: string, width: number): readonly string[] {
  const count = Math.max(1, Math.ceil(line.length / width));
  return Array.from({ length: count }, (_, index) => line.slice(index * width, (index + 1) * width));
}

interface Cursor {
  readonly at: number;
  readonly mark: (character: string) => string;
}

function rowsOfLine(line: string, width: number, cursor: Cursor | null): Rows {
  const rows: string[] = [];
  let row = "";
  let used = 0;
  let position = 0;
  let at = 0;
  for (const grapheme of [...graphemesOf(line), ""]) {
    const isCursor = position === cursor?.at;
    const shown = grapheme === "" ? (isCursor ? " " : "") : PLAIN.test(grapheme) ? grapheme : visible(grapheme);
    const columns = widthOf(shown);
    if (used + columns > width) {
      rows.push(row);
      row = "";
      used = 0;
    }
    if (isCursor) at = rows.length;
    row += isCursor ? cursor.mark(shown) : shown;
    used += columns;
    position += grapheme.length;
  }
  return { rows: [...rows, row], at };
}
