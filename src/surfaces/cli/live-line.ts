/** One line that changes while a person watches. */

import { fitted } from "../words/width.ts";
import type { CliContext } from "./context.ts";

export interface LiveLine {
  /** A function is called again and again, for a text with a running time. */
  show(text: string | (() => string)): void;
  /** Writes a line that stays, above the one that changes. */
  say(text: string): void;
  clear(): void;
}

/** The terminal itself writes ^C at the end; if that begins a new line, the old one cannot be erased any more. */
const ROOM_FOR_INTERRUPT = 3;
const REDRAW_EVERY_MS = 1000;
export const ERASE_LINE = "\r\u001b[2K";

/** Null without a terminal. Written to standard error, so that standard output holds the answer alone. */
export function liveLine(context: CliContext): LiveLine | null {
  const { terminal, writeError } = context.ports;
  if (!terminal.output || !terminal.errors || context.args.isSet("json")) return null;
  if (context.ports.env["TERM"] === "dumb") return linesThatStay(context);
  let shown = "";
  const draw = (text: string) => {
    if (text === shown) return;
    shown = text;
    const fitting = fitted(text, context.columns - ROOM_FOR_INTERRUPT);
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
  const say = (text: string) => {
    const line = shown;
    shown = "";
    writeError(`${ERASE_LINE}${text}\n`).catch(() => undefined);
    draw(line);
  };
  return { show, say, clear: () => show("") };
}

/** A terminal that cannot erase a line gets a new one when more than a running time has changed. */
function linesThatStay({ ports: { writeError } }: CliContext): LiveLine {
  let shown = "";
  const say: LiveLine["say"] = (text) => void writeError(`${text}\n`).catch(() => undefined);
  const show: LiveLine["show"] = (text) => {
    const now = typeof text === "string" ? text : text();
    const lasting = now.replaceAll(/\d+[smhd]\b/g, "");
    if (lasting !== shown) say(now);
    shown = lasting;
  };
  return { show, say, clear: () => undefined };
}
