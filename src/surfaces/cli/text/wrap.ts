/** Text within the terminal's width. Long texts are wrapped and never cut. */
import { visible } from "../../../domain/visible.ts";

export { visible };

/** Breaks at spaces; a word longer than the line stays whole. Existing line breaks are kept. */
export function wrap(text: string, width: number, indent = ""): string {
  const room = Math.max(10, width - indent.length);
  const [first = "", ...rest] = visible(text)
    .split("\n")
    .flatMap((line) => wrapLine(line, room));
  return [first, ...rest.map((line) => (line === "" ? "" : `${indent}${line}`))].join("\n");
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  // What a line is indented by belongs to its first word.
  const [, lead = "", text = ""] = /^( *)(.*)$/s.exec(line) ?? [];
  const [first = "", ...words] = text.split(" ");
  let current = `${lead}${first}`;
  for (const word of words) {
    const longer = current === "" ? word : `${current} ${word}`;
    if (current !== "" && longer.length > width) {
      lines.push(current);
      current = word;
    } else {
      current = longer;
    }
  }
  return [...lines, current];
}

/** One label and its text, wrapped under itself. */
export function field(label: string, text: string, width: number, indent = "  "): string {
  const lead = `${indent}${label.padEnd(13)} `;
  return `${lead}${wrap(text, width, " ".repeat(lead.length))}`;
}
