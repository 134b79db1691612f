/**
 * A terminal for real harnesses: a tmux server of its own beside the model, with a window for each. What a test waits
 * for is on the screen, and it waits for that and never for a time.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { HarnessWorld } from "./harness-world.ts";
import { until } from "./until.ts";

/** Codex and Gemini CLI take an Enter that follows a key at once for a new line. No person is that fast. */
const BEFORE_ENTER_MS = 250;

/** It stays without windows, and a program that ended leaves its last words on the screen. */
const SETTINGS = ["set -g exit-empty off", "set -g remain-on-exit on", "set -g default-terminal tmux-256color"];
const SIZE = ["-x", "150", "-y", "45"];

export class Terminal {
  readonly socket: string;
  readonly #world: HarnessWorld;

  private constructor(world: HarnessWorld) {
    this.#world = world;
    this.socket = join(world.root, "tmux");
  }

  static async start(world: HarnessWorld): Promise<Terminal> {
    const terminal = new Terminal(world);
    const settings = world.write("tmux.conf", `${SETTINGS.join("\n")}\n`);
    world.run(["tmux", "-S", terminal.socket, "-f", settings, "-D"], {});
    // The socket is there a moment before anything listens on it.
    await until("tmux answers", () => existsSync(terminal.socket) && terminal.#answers);
    return terminal;
  }

  /** Runs a command in a window of its own. MODEL_URL in its words becomes the address of the model. */
  open(name: string, command: readonly string[], env: Readonly<Record<string, string>>): Window {
    const given = Object.entries(env).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
    const words = command.map((word) => word.replaceAll("MODEL_URL", this.modelUrl));
    this.tmux("new-session", "-d", "-s", name, ...SIZE, "-c", this.#world.tree, ...given, "--", ...words);
    return new Window(this, name);
  }

  get modelUrl(): string {
    return this.tmux("show-environment", "-g", "MODEL_URL").trim().split("=")[1] ?? "";
  }

  get #answers(): boolean {
    return spawnSync("tmux", ["-S", this.socket, "show-environment", "-g"]).status === 0;
  }

  tmux(...words: readonly string[]): string {
    // A window has the PATH of the client that opens it.
    const env = { ...process.env, PATH: this.#world.environment["PATH"] };
    return execFileSync("tmux", ["-S", this.socket, ...words], {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }
}

export class Window {
  readonly name: string;
  readonly #terminal: Terminal;

  constructor(terminal: Terminal, name: string) {
    this.#terminal = terminal;
    this.name = name;
  }

  /** What a person sees, without empty lines at the end. */
  get screen(): string {
    return this.#terminal.tmux("capture-pane", "-p", "-t", this.name).trimEnd();
  }

  get title(): string {
    return this.#ask("#{pane_title}");
  }

  /** The pane, as tmux names it to what runs in it. */
  get pane(): string {
    return this.#ask("#{pane_id}");
  }

  /** Whether the program in it has ended. */
  get isOver(): boolean {
    return this.#ask("#{pane_dead}") === "1";
  }

  get cursorColumn(): number {
    return Number(this.#ask("#{cursor_x}"));
  }

  /** Types, as a person does, and waits until it is on the screen. */
  async type(text: string): Promise<void> {
    this.press("-l", text);
    await this.shows(text);
  }

  /** Keys by the names that tmux has for them. */
  press(...keys: readonly string[]): void {
    this.#terminal.tmux("send-keys", "-t", this.name, ...keys);
  }

  /** Types a prompt and sends it off. */
  async prompt(text: string): Promise<void> {
    await this.type(text);
    await setTimeout(BEFORE_ENTER_MS);
    this.press("Enter");
  }

  async shows(text: string | RegExp): Promise<void> {
    const isThere = () => (typeof text === "string" ? this.screen.includes(text) : text.test(this.screen));
    await until(`${this.name} shows ${text}`, isThere, () => this.screen);
  }

  #ask(format: string): string {
    return this.#terminal.tmux("display-message", "-p", "-t", this.name, format).trimEnd();
  }
}
