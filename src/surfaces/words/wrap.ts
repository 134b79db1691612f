/** Text within the terminal's width. Long texts are wrapped and never cut. */
import { visible } from "../../core/visible.ts";
import { piecesOf, widthOf } from "./width.ts";

export { visible };

/** Blanks that a terminal shows like a space, where no line would break. */
const OTHER_BLANKS = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;

/**
 * Breaks at spaces, and within a word that is longer than a line: text of others never reaches the margin.
 * Existing line breaks are kept, and a command stays on one line if it fits there, to be copied.
 */
export function wrap(text: string, width: number, indent = ""): string {
  return wrapped(text, width, indent, true);
}

/** The same for what tt itself says: a path that is longer than a line stays whole, to be copied. */
export function wrapWhole(text: string, width: number, indent = ""): string {
  return wrapped(text, width, indent, false);
}

/** A command that a sentence names, up to the end of that sentence. What it quotes may have sentences of its own. */
const COMMAND = /(?<=: )tt (?:'[^']*'|(?!\. [A-Z]).)+/g;
/** Stands for a space where no line may break. A text that is wrapped has none of its own. */
const NO_BREAK = "\u00a0";

function unbroken(line: string, width: number): string {
  return line.replace(COMMAND, (command) => (widthOf(command) > width ? command : command.replaceAll(" ", NO_BREAK)));
}

function wrapped(text: string, width: number, indent: string, hard: boolean): string {
  const room = Math.max(10, width - indent.length);
  const [first = "", ...rest] = visible(text)
    .replace(OTHER_BLANKS, (blank) => " ".repeat(widthOf(blank)))
    .split("\n")
    .flatMap((line) => wrapLine(unbroken(line, room), room))
    .map((line) => line.replaceAll(NO_BREAK, " "))
    .flatMap((line) => (hard ? piecesOf(line, room) : [line]));
  return [first, ...rest.map((line) => (line === "" ? "" : `${indent}${line}`))].join("\n");
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  // What a line is indented by belongs to its first word.
  const [, lead = "", text = ""] = /^( *)(.*)$/s.exec(line) ?? [];
  const [first = "", ...words] = text.split(" ");
  let current = `${lead}${first}`;
  let used = widthOf(current);
  for (const word of words) {
    const columns = widthOf(word);
    if (current !== "" && used + 1 + columns > width) {
      lines.push(current);
      [current, used] = [word, columns];
    } else {
      [current, used] = current === "" ? [word, columns] : [`${current} ${word}`, used + 1 + columns];
    }
  }
  return [...lines, current];
}

/** Less room than this beside a label is no room for a text. */
const NARROW = 16;

/** One label and its text, wrapped under itself; on a narrow terminal under the label. */
export function field(label: string, text: string, width: number, indent = "  "): string {
  const lead = `${indent}${label.padEnd(13)} `;
  if (width - lead.length < NARROW) return `${indent}${label}\n${indent}  ${wrap(text, width, `${indent}  `)}`;
  return `${lead}${wrap(text, width, " ".repeat(lead.length))}`;
}
