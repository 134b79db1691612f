import type { PictureLine, Role } from "../../picture/board.ts";

/** Colour, only where it can be seen. What it says is always in the words, too. */
export type Painter = Readonly<Record<"bold" | "dim" | "green" | "yellow" | "red" | "cyan", (text: string) => string>>;

const CODES = { bold: 1, dim: 2, green: 32, yellow: 33, red: 31, cyan: 36 } as const;

export function paint(enabled: boolean): Painter {
  const entries = Object.entries(CODES).map(([name, code]) => [
    name,
    (text: string) => (enabled && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text),
  ]);
  return Object.fromEntries(entries) as Painter;
}

/** A line of the room picture. */
export function painted(line: PictureLine, on: Painter): string {
  const colours: Readonly<Record<Role, (text: string) => string>> = {
    plain: (text) => text,
    holder: on.green,
    needs_you: (text) => on.bold(on.yellow(text)),
    warning: on.yellow,
    gone: on.red,
    dim: on.dim,
  };
  return line.map(({ text, role }) => colours[role](text)).join("");
}

/** Each line by itself, so that a pager or a terminal that cuts lines shows them right. */
export function paintedLines(text: string, colour: (text: string) => string): string {
  return text.split("\n").map(colour).join("\n");
}
