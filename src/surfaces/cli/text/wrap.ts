/** Text within the terminal's width. Long texts are wrapped and never cut. */

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

/** Others wrote this: control characters must not reach the terminal as commands. */
export function visible(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code === 9 ? "  " : `\\u{${code.toString(16)}}`;
  });
}

/** One label and its text, wrapped under itself. */
export function field(label: string, text: string, width: number, indent = "  "): string {
  const lead = `${indent}${label.padEnd(13)} `;
  return `${lead}${wrap(text, width, " ".repeat(lead.length))}`;
}
