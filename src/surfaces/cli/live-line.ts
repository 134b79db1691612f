/** One line that changes while a person watches; nothing at all where nobody does. */
import type { CliContext } from "./context.ts";

export interface LiveLine {
  show(text: string): void;
  clear(): void;
}

/** The terminal itself writes ^C at the end; if that begins a new line, the old one cannot be erased any more. */
const ROOM_FOR_INTERRUPT = 3;
const ERASE_LINE = "\r\u001b[2K";

/** Written to standard error, so that standard output holds the answer alone. */
export function liveLine(context: CliContext): LiveLine {
  const { terminal, writeError } = context.ports;
  if (!terminal.output || !terminal.errors || context.args.isSet("json"))
    return { show: () => undefined, clear: () => undefined };
  let shown = "";
  const draw = (text: string) => {
    if (text === shown) return;
    shown = text;
    const fitting = Array.from(text)
      .slice(0, context.columns - ROOM_FOR_INTERRUPT)
      .join("");
    // A line about progress that cannot be drawn is no reason to fail.
    writeError(`${ERASE_LINE}${fitting}`).catch(() => undefined);
  };
  return { show: draw, clear: () => draw("") };
}
