/** Another agent in the room, which uses our program from outside of every harness. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { inject } from "vitest";
import type { HarnessWorld } from "./harness-world.ts";

const run = promisify(execFile);

export const PEER = "script:peer";

export class Peer {
  readonly #world: HarnessWorld;
  readonly #tt = inject("tt");
  readonly #env: Readonly<Record<string, string>>;

  constructor(world: HarnessWorld, env: Readonly<Record<string, string>> = {}) {
    this.#world = world;
    this.#env = env;
  }

  /** The same one in another environment. */
  with(env: Readonly<Record<string, string>>): Peer {
    return new Peer(this.#world, env);
  }

  /** What a command answers. */
  async tt(...words: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
    const { tree, environment } = this.#world;
    const env = { ...environment, TT_AGENT_ID: PEER, ...this.#env };
    const { stdout } = await run(process.execPath, [this.#tt, ...words, "--json"], { cwd: tree, env });
    return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  }

  /** The person at the peer's terminal changes the policy, because an agent may not. */
  changePolicy(changes: readonly string[]): Promise<void> {
    return this.asPerson("policy", ...changes);
  }

  /** The person at the peer's terminal runs a command. Its words have no blanks. */
  async asPerson(...words: readonly string[]): Promise<void> {
    const { tree, environment } = this.#world;
    const env = { ...environment, TT_AGENT_ID: PEER, ...this.#env };
    const line = ["exec", process.execPath, this.#tt, ...words].join(" ");
    await run("script", ["-qfec", line, "/dev/null"], { cwd: tree, env });
  }

  /** Sends a message and says when its one recipient will see it, and by which wake. */
  async send(to: string, body: string, ...flags: readonly string[]) {
    const { message_id: id, deliveries } = await this.tt("msg", "send", to, body, ...flags);
    const [delivery] = deliveries as readonly Readonly<Record<string, unknown>>[];
    return { id: String(id), willBeSeen: delivery?.["will_be_seen"], wakeStatus: delivery?.["wake_status"] };
  }

  /** How the delivery of a message stands. */
  async stateOf(messageId: string): Promise<unknown> {
    const { deliveries } = await this.tt("msg", "trace", messageId);
    return (deliveries as readonly Readonly<Record<string, unknown>>[])[0]?.["state"];
  }

  /** Waits until the delivery of a message stands so. */
  async seesState(messageId: string, state: string): Promise<void> {
    while ((await this.stateOf(messageId)) !== state);
  }

  /** Waits until a session of that name is at work, or rests. */
  async sees(handle: string, activity: "busy" | "idle"): Promise<void> {
    while (!(await this.isSeen(handle, activity)));
  }

  /** Whether a session of that name is at work now, or rests. */
  async isSeen(handle: string, activity: "busy" | "idle"): Promise<boolean> {
    const { sessions } = await this.tt("peers");
    const known = sessions as readonly { readonly handle: string; readonly activity: string }[];
    return known.find((session) => session.handle === handle)?.activity === activity;
  }

  async members(): Promise<readonly string[]> {
    const { members } = await this.tt("state");
    return (members as readonly { readonly agent_id: string }[]).map(({ agent_id: id }) => id);
  }
}
