/** One line that changes while a person watches; nothing without a terminal. */
import type { CliContext } from "./context.ts";
import { piecesOf, widthOf } from "./text/width.ts";

export interface LiveLine {
  /** A function is called again and again, for a text with a running time. */
  show(text: string | (() => string)): void;
  clear(): void;
}

/** The terminal itself writes ^C at the end; if that begins a new line, the old one cannot be erased any more. */
const ROOM_FOR_INTERRUPT = 3;
const REDRAW_EVERY_MS = 1000;
export const ERASE_LINE = "\r\u001b[2K";

/** What does not fit is seen to be missing: half a number is worse than none. */
function cutTo(width: number, text: string): string {
  return widthOf(text) <= width ? text : `${piecesOf(text, width - 1)[0] ?? ""}…`;
}

/** Written to standard error, so that standard output holds the answer alone. */
export function liveLine(context: CliContext): LiveLine {
  const { terminal, writeError } = context.ports;
  if (!terminal.output || !terminal.errors || context.args.isSet("json"))
    return { show: () => undefined, clear: () => undefined };
  let shown = "";
  const draw = (text: string) => {
    if (text === shown) return;
    shown = text;
    const fitting = cutTo(context.columns - ROOM_FOR_INTERRUPT, text);
    // A line about progress that cannot be drawn is no reason to fail.
    writeError(`${ERASE_LINE}${fitting}`).catch(() => undefined);
  };
  let telling: NodeJS.Timeout | undefined;
  const show: LiveLine["show"] = (text) => {
    clearInterval(telling);
    if (typeof text === "string") return draw(text);
    draw(text());
    telling = setInterval(() => draw(text()), REDRAW_EVERY_MS).unref();
  };
  return { show, clear: () => show("") };
}
