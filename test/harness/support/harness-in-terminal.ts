/** A real harness in a terminal, as its user sees it. */
import type { Driver } from "./drivers/driver.ts";
import type { HarnessWorld } from "./harness-world.ts";
import type { Terminal, Window } from "./terminal.ts";
import { until } from "./until.ts";

export class HarnessInTerminal {
  readonly driver: Driver;
  readonly window: Window;
  readonly #world: HarnessWorld;

  private constructor(world: HarnessWorld, driver: Driver, window: Window) {
    this.#world = world;
    this.driver = driver;
    this.window = window;
  }

  /** Starts it and waits until it waits for its user. */
  static async start(
    world: HarnessWorld,
    terminal: Terminal,
    driver: Driver,
    more: Readonly<Record<string, string>> = {},
  ): Promise<HarnessInTerminal> {
    const harness = HarnessInTerminal.open(world, terminal, driver, driver.name, more);
    await harness.whenReady();
    return harness;
  }

  /** Starts it in a window of that name, in which it may have questions first. */
  static open(
    world: HarnessWorld,
    terminal: Terminal,
    driver: Driver,
    name: string,
    more: Readonly<Record<string, string>> = {},
  ): HarnessInTerminal {
    const { command, env } = driver.inTerminal;
    return new HarnessInTerminal(world, driver, terminal.open(name, world.wordsFor(command), { ...env, ...more }));
  }

  /** Starts it so that it asks its user before some tools. */
  static async startAsking(world: HarnessWorld, terminal: Terminal, driver: Driver): Promise<HarnessInTerminal> {
    const { env, asks } = driver.inTerminal;
    const window = terminal.open(driver.name, asks.command, { ...env, ...asks.env });
    const harness = new HarnessInTerminal(world, driver, window);
    await harness.whenReady();
    return harness;
  }

  async whenReady(): Promise<void> {
    const { isReady } = this.driver.inTerminal;
    const isIdle = () => isReady(this.window) && this.#isEmpty;
    await until(`${this.driver.name} waits for its user`, isIdle, () => `${this.window.title}\n${this.window.screen}`);
  }

  /**
   * Waits until it takes keys. A program may paint its composer before it listens, as Gemini CLI does after /clear, and
   * it drops what is typed in between. So a letter is typed until one is on the screen, and all are taken back. The
   * terminal hands keys over in their order, so no letter comes after the backspaces.
   */
  async whenListening(): Promise<void> {
    await this.whenReady();
    const { name, inTerminal } = this.driver;
    const screen = () => this.window.screen;
    const typing = () => {
      if (!this.#isEmpty) return true;
      this.window.press("-l", "x");
      return false;
    };
    await until(`${name} shows a letter`, typing, screen);
    const takingBack = () => {
      if (this.#isEmpty && inTerminal.isReady(this.window)) return true;
      this.window.press("BSpace");
      return false;
    };
    await until(`${name} has taken the letters back`, takingBack, screen);
  }

  get #isEmpty(): boolean {
    return this.driver.inTerminal.emptyColumns.includes(this.window.cursorColumn);
  }

  /** Runs a script to its end. */
  async run(script: string): Promise<void> {
    const { name } = this.driver;
    await this.window.prompt(`<<script ${script}>>`);
    await until(
      `${name} has run ${script}`,
      () => this.#world.isDone(name, script),
      () => this.window.screen,
    );
    await this.whenReady();
  }

  /** Begins a prompt and does not send it off. */
  async draft(text: string): Promise<void> {
    await this.window.type(text);
  }

  /** Takes a draft back, from its end. */
  async takeBack(text: string): Promise<void> {
    this.window.press("-N", String(text.length), "BSpace");
    const isGone = () => !this.window.screen.includes(text.slice(0, 3));
    await until(
      "the draft is gone",
      () => isGone() && this.#isEmpty,
      () => this.window.screen,
    );
  }
}
