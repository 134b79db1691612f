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
    return new HarnessInTerminal(world, driver, terminal.open(name, command, { ...env, ...more }));
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
    const { isReady, emptyColumns } = this.driver.inTerminal;
    const isIdle = () => isReady(this.window) && emptyColumns.includes(this.window.cursorColumn);
    await until(`${this.driver.name} waits for its user`, isIdle, () => `${this.window.title}\n${this.window.screen}`);
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
    const { emptyColumns } = this.driver.inTerminal;
    this.window.press("-N", String(text.length), "BSpace");
    const isGone = () => !this.window.screen.includes(text.slice(0, 3));
    await until(
      "the draft is gone",
      () => isGone() && emptyColumns.includes(this.window.cursorColumn),
      () => this.window.screen,
    );
  }
}
