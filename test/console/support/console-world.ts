/** A machine with a console on a real terminal: keys go in through tmux, and the screen and the raw bytes come out. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { record } from "../../../src/room/rules/change.ts";
import { CliWorld } from "../../cli/support/cli-world.ts";
import { fillRoom } from "../../cli/support/fill-room.ts";
import { type Terminal, Terminals } from "../../cli/support/terminal.ts";

/** What clears the scrollback of a terminal, or the talk that is still on its screen. */
const CLEARS_SCROLLBACK = ["\u001b[3J", "\u001bc"];
const CLEARS_SCREEN = "\u001b[2J";

export class ConsoleWorld extends CliWorld {
  readonly terminals = new Terminals(this);

  /** claude holds nothing yet; codex is there as well. */
  static async withTwo(): Promise<ConsoleWorld> {
    const world = new ConsoleWorld();
    await world.done("join", { as: "claude:1" });
    await world.done("join", { as: "codex:1" });
    return world;
  }

  /** Opens the console in a shell of its own, and waits until it is drawn. */
  async console(words: string, options: ConsoleOptions = {}): Promise<Console> {
    const { columns = 80, rows = 24, env = {}, shows = /> ?$/m, alone = false } = options;
    const terminal = this.terminals.open("console", env);
    const never = words.startsWith("chat") ? [...CLEARS_SCROLLBACK, CLEARS_SCREEN] : CLEARS_SCROLLBACK;
    const console = new Console(this, terminal, { raw: join(this.root, "raw"), never });
    console.resize(columns, rows);
    await terminal.until(/^\$ ?$/m);
    this.terminals.tmux("pipe-pane", "-t", "console", `cat >> '${join(this.root, "raw")}'`);
    terminal.type(`${alone ? "exec " : ""}'${process.execPath}' '${this.program}' ${words}; echo "[$?]"`);
    await terminal.until(shows);
    return console;
  }

  /** Starts a program in a terminal of its own, as an agent runs; tells its process. */
  paneOf(name: string, script: string): string {
    this.terminals.tmux("new-session", "-d", "-s", name, "-x", "80", "-y", "24", "-c", this.tree, script);
    return this.terminals.tmux("display-message", "-p", "-t", name, "#{pane_pid}").trim();
  }

  /** Many events at once, as a long day leaves them. */
  async fillLog(count: number): Promise<void> {
    await fillRoom(this, count, (change, given, index) => {
      const card = { purpose: `step ${index}` };
      return record(change, given, "state_changed", { card }, { from: asAgentId("claude:1") });
    });
  }
}

interface ConsoleOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Without a shell around it. */
  readonly alone?: boolean;
  /** What is on the screen once it is drawn. */
  readonly shows?: RegExp;
}

export class Console {
  readonly #world: ConsoleWorld;
  readonly #raw: string;
  readonly terminal: Terminal;

  constructor(world: ConsoleWorld, terminal: Terminal, { raw, never }: { raw: string; never: readonly string[] }) {
    this.#world = world;
    this.terminal = terminal;
    this.#raw = raw;
    onTestFinished(() => expect(never.filter((bytes) => this.raw.includes(bytes))).toEqual([]));
  }

  /** Everything that was written to the terminal. */
  get raw(): string {
    return existsSync(this.#raw) ? readFileSync(this.#raw, "utf8") : "";
  }

  get screen(): string {
    return this.terminal.screen;
  }

  /** The screen and everything above it, with rows that the terminal broke put together. */
  get scrollback(): string {
    return this.#world.terminals.tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "console").trimEnd();
  }

  until(condition: RegExp): Promise<string> {
    return this.terminal.until(condition);
  }

  type(text: string): void {
    this.#world.terminals.tmux("send-keys", "-t", "console", "-l", text);
  }

  press(...keys: string[]): void {
    for (const key of keys) this.terminal.press(key);
  }

  /** Types a line and sends it. */
  send(text: string): void {
    this.type(text);
    this.press("Enter");
  }

  paste(text: string): void {
    this.#world.terminals.tmux("set-buffer", "--", text);
    this.#world.terminals.tmux("paste-buffer", "-p", "-r", "-t", "console");
  }

  resize(columns: number, rows = 24): void {
    this.#world.terminals.tmux("resize-window", "-t", "console", "-x", String(columns), "-y", String(rows));
  }

  /** The process that draws. */
  get pid(): number {
    const shell = this.#world.terminals.tmux("display-message", "-p", "-t", "console", "#{pane_pid}").trim();
    const children = readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim().split(" ");
    return Number(children.at(-1));
  }

  get hasRung(): boolean {
    return this.raw.includes("\u0007");
  }
}
