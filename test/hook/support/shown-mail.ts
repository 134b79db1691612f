/** A session at work to which a hook has shown a message, and what becomes of that. */
import { expect } from "vitest";
import type { HookEvent } from "../../../src/hooks/rules/hook.ts";
import { idOf } from "../../support/session-clues.ts";
import { type Harness, type HarnessName, type HookRun, HookWorld, type Payload } from "./hook-world.ts";
import { bodyIn } from "./said.ts";

const SESSION = "11111111-aaaa-4aaa-8aaa-111111111111";
const PEER = { as: "peer:1" };

interface Trace {
  readonly deliveries: readonly { readonly attempts: readonly { readonly outcome: string }[] }[];
}

export class ShownMail {
  readonly sessionId = SESSION;
  readonly world: HookWorld;
  readonly #name: HarnessName;
  readonly #harness: Harness;
  messageId = "";

  private constructor(world: HookWorld, name: HarnessName) {
    this.world = world;
    this.#name = name;
    this.#harness = world.harness(name);
  }

  /** The session works on its first prompt, and this event has shown it `hello`. */
  static async open(name: HarnessName, event: HookEvent, more: Payload = {}): Promise<ShownMail> {
    const world = new HookWorld();
    await world.done("join", PEER);
    const mail = new ShownMail(world, name);
    await mail.hook("session-start", { source: "startup" });
    if (event !== "prompt") await mail.hook("prompt", more);
    mail.messageId = await mail.send("hello");
    expect(bodyIn((await mail.hook(event, more)).said)).toBe("hello");
    expect(await mail.outcomes()).toEqual(["shown"]);
    expect(mail.isFlagUp).toBe(true);
    return mail;
  }

  hook(event: HookEvent, more: Payload = {}): Promise<HookRun> {
    return this.#harness.hook(event, SESSION, more);
  }

  /** An event of the turn that goes on, whichever event it is. */
  hookInTurn(event: HookEvent, more: Payload = {}): Promise<HookRun> {
    const { turn } = this.#harness;
    return this.hook(event, { prompt_id: turn, turn_id: turn, ...more });
  }

  typeIntoTurn(): Promise<HookRun> {
    return this.hookInTurn("prompt", { prompt: "and hurry" });
  }

  tt(words: string): Promise<HookRun> {
    return this.#harness.tt(words, SESSION);
  }

  async send(body: string): Promise<string> {
    const { message_id: id } = (await this.world.done(["msg", "send", this.#name, body, "--json"], PEER)).json();
    return id as string;
  }

  /** What became of each attempt to show the first message. */
  async outcomes(): Promise<readonly string[]> {
    const { stdout } = await this.world.done(["msg", "trace", this.messageId, "--json"], PEER);
    const { deliveries } = JSON.parse(stdout) as Trace;
    return deliveries[0]?.attempts.map(({ outcome }) => outcome) ?? [];
  }

  async trace(): Promise<string> {
    return (await this.world.done(["msg", "trace", this.messageId, "--text"], PEER)).stdout;
  }

  async activity(): Promise<string | undefined> {
    const { sessions } = JSON.parse((await this.world.done("peers --json")).stdout) as {
      readonly sessions: readonly { readonly agent_id: string; readonly activity: string }[];
    };
    return sessions.find(({ agent_id: id }) => id === idOf(this.#name, SESSION))?.activity;
  }

  get isFlagUp(): boolean {
    return this.world.flagOf(SESSION);
  }
}
