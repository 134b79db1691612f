/** A real terminal of 80 by 24, through tmux: what is typed into it, and what it shows. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { it, onTestFinished } from "vitest";
import { skipUnless } from "../../support/privileges.ts";
import type { CliWorld } from "./cli-world.ts";

const COLUMNS = 80;
const LINES = 24;
/** Far longer than anything takes; only so that a failure shows the screen. */
const PATIENCE_MS = 60_000;

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

/** A test at a terminal. */
export const atTerminal = it.skipIf(skipUnless(hasTmux, "tmux"));

export class Terminals {
  readonly #world: CliWorld;
  readonly #socket: string;

  constructor(world: CliWorld) {
    this.#world = world;
    this.#socket = join(world.root, "tmux");
    onTestFinished(async () => {
      const running = this.#programs();
      this.tmux("kill-server");
      // A program that is about to end still writes to its store, which the test removes.
      const end = performance.now() + PATIENCE_MS;
      while (running.some(isRunning)) {
        if (performance.now() > end) throw new Error("a program goes on although its terminal is gone");
        await setTimeout(20);
      }
    });
  }

  /** The programs that run in the shells. */
  #programs(): readonly string[] {
    const shells = this.tmux("list-panes", "-a", "-F", "#{pane_pid}").trim().split("\n");
    return shells.flatMap((pid) => {
      try {
        const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
        return [pid, ...(children === "" ? [] : children.split(" "))];
      } catch {
        return [];
      }
    });
  }

  /** A shell in the world's tree, with `tt` as a command. */
  open(name: string, env: Readonly<Record<string, string>> = {}): Terminal {
    // A shell that ends writes its history down, while the test removes its home.
    const all = { ...this.#world.env(), TERM: "xterm-256color", HISTFILE: "/dev/null", ...env };
    const settings = Object.entries(all).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
    const size = ["-x", String(COLUMNS), "-y", String(LINES)];
    const shell = "exec bash --norc --noprofile -i";
    this.tmux("new-session", "-d", "-s", name, ...size, "-c", this.#world.tree, ...settings, shell);
    const terminal = new Terminal(this, name);
    terminal.type(`PS1='$ '; tt() { '${process.execPath}' '${this.#world.program}' "$@"; }; clear`);
    return terminal;
  }

  tmux(...args: string[]): string {
    return execFileSync("tmux", ["-S", this.#socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      // Without TMUX the server cannot be taken for one that the tests themselves run in.
      env: { PATH: process.env["PATH"], LANG: "C.UTF-8", TERM: "xterm-256color", HOME: this.#world.home },
    });
  }
}

function isRunning(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

export class Terminal {
  readonly name: string;
  readonly #terminals: Terminals;
  #runs = 0;

  constructor(terminals: Terminals, name: string) {
    this.#terminals = terminals;
    this.name = name;
  }

  type(line: string): void {
    this.#terminals.tmux("send-keys", "-t", this.name, "-l", line);
    this.press("Enter");
  }

  press(key: string): void {
    this.#terminals.tmux("send-keys", "-t", this.name, key);
  }

  /** What the screen shows, without the blanks at the ends. */
  get screen(): string {
    return this.#terminals.tmux("capture-pane", "-p", "-t", this.name).trimEnd();
  }

  /** Resolves with the screen when it shows what is waited for. */
  async until(condition: RegExp): Promise<string> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const { screen } = this;
      if (condition.test(screen)) return screen;
      if (performance.now() > end) throw new Error(`the screen never showed ${condition}:\n${screen}`);
      await setTimeout(20);
    }
  }

  /** Types a command on an empty screen and resolves with all that it shows, its exit code and the new prompt. */
  async run(line: string): Promise<string> {
    // A number of its own, because the screen before may look the same.
    this.#runs += 1;
    const mark = `#${this.#runs}`;
    this.type(`clear; ${line}; echo "[$?]${mark}"`);
    const screen = await this.until(new RegExp(`^\\[\\d+\\]${mark}\\n\\$$`, "m"));
    return screen.replace(mark, "");
  }
}
