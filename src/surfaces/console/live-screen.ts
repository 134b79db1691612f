/**
 * Ink's screen: lines that stay at the bottom and change, and text that flows up above them into the terminal's own
 * scrollback. Nothing here ever clears the scrollback.
 *
 * A terminal that becomes narrower breaks the lines that are on it, so the region takes more rows than Ink drew. Ink
 * erases as many rows as it drew; the difference is erased here, before Ink hears of the new width. A terminal may have
 * another width by then: tmux tells of a new one up to a quarter of a second later. So while it is resized, nothing is
 * drawn until the terminal, when asked, answers with the width that this process knows.
 *
 *   drawing ──resized──▶ waiting until it is still ──▶ asking ──same width, or no answer──▶ drawing
 *                              ▲                          │
 *                              └──────another width───────┘
 */
import { EventEmitter } from "node:events";
import { Box, type Instance, render, Text, useStdout } from "ink";
import { createElement, useEffect } from "react";
import { visible } from "../../core/visible.ts";
import { fitted, widthOf } from "../words/width.ts";
import { wrap } from "../words/wrap.ts";
import type { ConsoleTerminal } from "./console-terminal.ts";

/** Ink clears a terminal, with its scrollback, once the region is as high as it. So Ink is told of a very high one. */
const ROWS_FOR_INK = 1_000_000;
/** How long the width has to stay, before the terminal itself is asked for it. */
const STILL_MS = 100;
/** Not every terminal answers. */
const ANSWER_MS = 300;
/** The cursor goes to the right edge, tells where it is, and comes back. */
const ASK_WIDTH = "\u001b7\u001b[9999C\u001b[6n\u001b8";
const ESCAPE = "\u001b";
const COLOURS = new RegExp(`${ESCAPE}\\[[0-9;]*m`, "g");
const ERASE_AND_UP = "\u001b[2K\u001b[1A";
const ERASED = new RegExp(`^(?:${ESCAPE}\\[2K(?:${ESCAPE}\\[1A)?)+${ESCAPE}\\[G`);
const SWITCH = new RegExp(`^${ESCAPE}\\[\\?\\d+[hl]$`);

/** What Ink takes for standard output. */
class InkOutput extends EventEmitter {
  readonly isTTY = true;
  readonly rows = ROWS_FOR_INK;
  /** The lines of the region, as they were drawn. */
  drawn: readonly string[] = [];
  /** While text flows up: that text is no part of the region. */
  isPrinting = false;
  readonly #terminal: ConsoleTerminal;

  constructor(terminal: ConsoleTerminal) {
    super();
    this.#terminal = terminal;
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  write(text: string): boolean {
    this.#terminal.write(text);
    if (text === "" || SWITCH.test(text)) return true;
    const frame = text.replace(ERASED, "");
    const isErased = frame !== text;
    if (this.isPrinting && !isErased && this.drawn.length === 0) {
      this.isPrinting = false;
      return true;
    }
    this.drawn = frame === "" ? [] : frame.replace(/\n$/, "").split("\n");
    return true;
  }

  resized(): void {
    const rows = this.drawn.reduce((sum, line) => sum + rowsOf(line, this.columns), 0);
    this.#terminal.write(ERASE_AND_UP.repeat(Math.max(0, rows - this.drawn.length)));
    this.emit("resize");
  }
}

/** The rows that a terminal of that width breaks a line into. */
function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(widthOf(line.replaceAll(COLOURS, "")) / columns));
}

interface RegionProps {
  readonly lines: readonly string[];
  readonly ready: (write: (text: string) => void) => void;
}

function Region({ lines, ready }: RegionProps) {
  const { write } = useStdout();
  useEffect(() => ready(write), [ready, write]);
  return createElement(
    Box,
    { flexDirection: "column" },
    // A text without characters would take no row.
    lines.map((line, index) => createElement(Text, { key: index, wrap: "truncate-end" }, line === "" ? " " : line)),
  );
}

export class LiveScreen {
  readonly #output: InkOutput;
  readonly #terminal: ConsoleTerminal;
  #ink: Instance | null = null;
  #lines: readonly string[] = [];
  #resizing: { readonly settled: () => void; readonly timer: NodeJS.Timeout } | null = null;
  #write: (text: string) => void = (text) => this.#terminal.write(text);
  readonly #ready = (write: (text: string) => void) => {
    this.#write = write;
  };

  constructor(terminal: ConsoleTerminal) {
    this.#terminal = terminal;
    this.#output = new InkOutput(terminal);
  }

  /** Whether nothing may be drawn at the moment. */
  get isResizing(): boolean {
    return this.#resizing !== null;
  }

  start(): void {
    const output = this.#output as unknown as NodeJS.WriteStream;
    const noInput = Object.assign(new EventEmitter(), { isTTY: false }) as unknown as NodeJS.ReadStream;
    const streams = { stdout: output, stderr: output, stdin: noInput };
    // Without a limit of frames Ink draws at once, so that what was drawn has been written.
    this.#ink = render(this.#region(), { ...streams, maxFps: 0, exitOnCtrlC: false, patchConsole: false });
  }

  /** Replaces the region. When it returns, the new lines are written. */
  draw(lines: readonly string[]): void {
    this.#lines = lines;
    this.#ink?.rerender(this.#region());
  }

  /** For a full screen: draws everything again on an empty one. The alternate screen has no scrollback. */
  repaint(lines: readonly string[]): void {
    this.#terminal.write("\u001b[H\u001b[2J");
    this.draw([]);
    this.#terminal.write("\u001b[H");
    this.draw(lines);
  }

  /** Whole lines that flow up above the region. */
  print(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#output.isPrinting = true;
    this.#write(`${lines.join("\n")}\n`);
    this.#output.isPrinting = false;
  }

  /** Calls back when the terminal has kept its size, to draw for that. */
  resized(settled: () => void): void {
    clearTimeout(this.#resizing?.timer);
    this.#resizing = { settled, timer: setTimeout(() => this.#ask(), STILL_MS) };
  }

  /** The terminal has answered. */
  hasColumns(columns: number): void {
    if (!this.#resizing) return;
    if (columns === this.#terminal.columns) this.#settle();
    else this.resized(this.#resizing.settled);
  }

  #ask(): void {
    if (!this.#resizing) return;
    this.#resizing = { ...this.#resizing, timer: setTimeout(() => this.#settle(), ANSWER_MS) };
    this.#terminal.write(ASK_WIDTH);
  }

  #settle(): void {
    const resizing = this.#resizing;
    if (!resizing) return;
    clearTimeout(resizing.timer);
    this.#resizing = null;
    if (this.#ink) this.#output.resized();
    resizing.settled();
  }

  /** Takes the region away; what flowed up stays. */
  stop(): void {
    this.#settle();
    this.#ink?.clear();
    this.#ink?.unmount();
    this.#ink = null;
  }

  #region() {
    return createElement(Region, { lines: this.#lines, ready: this.#ready });
  }
}

/** For the lines of the region: at most this many columns, so that a terminal with other widths breaks none. */
export function cut(text: string, width: number): string {
  return fitted(visible(text).replaceAll("\n", " "), width);
}

/**
 * For what the console says or asks. A question ends with its keys, so the last row stays, however few rows there are; what
 * is left out before it is marked.
 */
export function saidRows(text: string, width: number, most: number): readonly string[] {
  const rows = wrap(text.replaceAll("\n", " "), width).split("\n");
  if (rows.length <= most) return rows;
  const first = rows.slice(0, most - 1);
  const gap = first.pop();
  return [...first, ...(gap === undefined ? [] : [cut(`${gap} …`, width)]), ...rows.slice(-1)];
}
