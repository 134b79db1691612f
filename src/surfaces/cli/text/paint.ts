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
