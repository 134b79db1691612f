/**
 * A session in a terminal whose user stops it at a certain moment, and mail that its hooks show meanwhile. The model holds
 * its answer until the key was pressed, so every moment is met exactly.
 */
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import type { HarnessInTerminal } from "./harness-in-terminal.ts";
import type { HarnessWorld, Mark } from "./harness-world.ts";
import type { Peer } from "./peer.ts";
import type { Step } from "./script.ts";

export interface Letter {
  readonly id: string;
  readonly body: string;
}

/** An interrupted session is idle to others within this time, also on a busy machine. */
const IDLE_WITHIN_MS = 30_000;
/** No person presses a key twice faster. */
const BETWEEN_KEYS_MS = 300;
/** How long a person watches before pressing again: a program may paint a question before it listens to keys. */
const BEFORE_PRESSING_AGAIN_MS = 3_000;
const MOST_TRIES = 10;

export class InterruptedSession {
  readonly world: HarnessWorld;
  readonly harness: HarnessInTerminal;
  readonly peer: Peer;
  #letters = 0;
  #scripts = 0;

  constructor(world: HarnessWorld, harness: HarnessInTerminal, peer: Peer) {
    this.world = world;
    this.harness = harness;
    this.peer = peer;
  }

  get #name() {
    return this.harness.driver.name;
  }

  /** What the letter says that is sent next. */
  get nextBody(): string {
    return `Letter ${this.#letters + 1} of this story.`;
  }

  async send(): Promise<Letter> {
    const body = this.nextBody;
    this.#letters += 1;
    const { id } = await this.peer.send(this.#name, body, "--no-wake");
    return { id, body };
  }

  /** Gives the session a prompt with a script of its own, and resolves when its model was asked. */
  async begin(...steps: readonly Step[]): Promise<string> {
    this.#scripts += 1;
    const name = `moment-${"x".repeat(this.#scripts)}`;
    this.world.script({ [name]: steps });
    await this.harness.window.prompt(`<<script ${name}>>`);
    await this.#until(`its model is asked for ${name}`, () => this.world.hasBegun(this.#name, name));
    return name;
  }

  mark(name: string): Mark {
    return this.world.mark(`${name}-${this.#letters}-${this.#scripts}`);
  }

  /** A command that runs until it is told to go on, or stopped. */
  hold(name: string): { readonly step: Step; readonly begun: Mark; readonly go: Mark } {
    const [begun, go] = [this.mark(`${name}-begun`), this.mark(`${name}-go`)];
    const command = `touch '${begun.path}'; until [ -e '${go.path}' ]; do sleep 0.05; done`;
    return { step: this.harness.driver.shell(command), begun, go };
  }

  async isTold({ body }: Letter): Promise<void> {
    await this.#until(`its model is told: ${body}`, () => this.world.isTold(this.#name, body));
  }

  async shows(text: string | RegExp): Promise<void> {
    await this.harness.window.shows(text);
  }

  /** Its user stops it, and takes back what the harness puts into the box again. */
  async stop(): Promise<void> {
    const { escapes, isStoppable } = this.harness.driver.inTerminal;
    await this.#until("it can be stopped", () => isStoppable(this.harness.window));
    await this.#pressEscapeWhile(() => isStoppable(this.harness.window), escapes);
    await this.#rests();
  }

  /** Its user says no to what it asks. */
  async reject(): Promise<void> {
    const { question } = this.harness.driver.inTerminal.asks;
    await this.#pressEscapeWhile(() => question.test(this.harness.window.screen));
    await this.#rests();
  }

  /** Presses Esc, and again as long as the program goes on showing what the key should end. */
  async #pressEscapeWhile(isShown: () => boolean, times = 1): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES && isShown(); tries += 1) {
      for (let presses = 0; presses < times && isShown(); presses += 1) {
        this.harness.window.press("Escape");
        await setTimeout(BETWEEN_KEYS_MS);
      }
      const watchedUntil = performance.now() + BEFORE_PRESSING_AGAIN_MS;
      while (isShown() && performance.now() < watchedUntil) await setTimeout(BETWEEN_KEYS_MS);
    }
    await this.#until("Esc ends it", () => !isShown());
  }

  /** Its user has the conversation replaced by a summary. */
  async compact(): Promise<void> {
    const { command, done } = this.harness.driver.inTerminal.compacts;
    await this.harness.window.prompt(command);
    await this.shows(done);
    await this.harness.whenReady();
  }

  /** Others see that it is idle, though it was stopped. */
  async isIdleSoon(): Promise<void> {
    const end = Date.now() + IDLE_WITHIN_MS;
    while (!(await this.peer.isSeen(this.#name, "idle"))) {
      if (Date.now() > end) throw new Error(`${this.#name} is not idle after ${IDLE_WITHIN_MS} ms`);
    }
  }

  async #rests(): Promise<void> {
    await this.#until("it rests", () => this.harness.driver.inTerminal.isReady(this.harness.window));
    this.harness.window.press("C-u");
    await this.harness.whenReady();
  }

  /** Types while the session is at work. */
  async type(text: string): Promise<void> {
    await this.harness.window.prompt(text);
  }

  /** Another turn, to its end. Then the letter is acknowledged, and what its model was asked last holds it. */
  async goesOn({ id, body }: Letter): Promise<void> {
    const script = await this.begin(this.harness.driver.shell("true"), this.harness.driver.shell("true"));
    await this.#until(`${script} is done`, () => this.world.isDone(this.#name, script));
    await this.harness.whenReady();
    await this.peer.seesState(id, "acked");
    expect(this.lastRequest, `a letter that is acknowledged is in what the model reads: ${body}`).toContain(body);
  }

  /** How often the letter stands, in its frame, in what the model was asked last. */
  timesToldLast({ body }: Letter): number {
    return this.lastRequest.split(body).length - 1;
  }

  async outcomes({ id }: Letter): Promise<readonly string[]> {
    const { deliveries } = (await this.peer.tt("msg", "trace", id)) as unknown as {
      readonly deliveries: readonly { readonly attempts: readonly { readonly outcome: string }[] }[];
    };
    return deliveries[0]?.attempts.map(({ outcome }) => outcome) ?? [];
  }

  get lastRequest(): string {
    return JSON.stringify(this.world.requests(this.#name).findLast(({ turns }) => turns.length > 0)?.body ?? null);
  }

  async #until(what: string, isSo: () => boolean): Promise<void> {
    await this.world.until(what, isSo, () => this.harness.window.screen);
  }
}
