/** Agents with mailboxes in processes of their own; see fixtures/mail-agent.ts for what they can be told. */
import { readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { MailOrder, Shown } from "../promises/fixtures/mail-agent.ts";
import { type Bundle, type RunningFixture, startFixture } from "./fixture.ts";
import type { Ground } from "./sqlite-world.ts";

/** Each line says one thing. */
export interface MailLine {
  readonly ready?: number;
  readonly done?: true;
  readonly sent?: number;
  readonly to?: string;
  readonly shown?: Shown;
  readonly acked?: string;
  readonly from?: string;
  readonly asked?: { readonly messageId: string; readonly body: string };
  readonly replying?: string;
  readonly replied?: string;
  readonly ended?: { readonly reply: string | null; readonly messageId: string | null; readonly timedOut: boolean };
  /** The machine's monotonic clock when the line was written, in nanoseconds. */
  readonly at: string;
}

export class MailProcess {
  readonly #running: RunningFixture;
  readonly #lines: AsyncIterableIterator<unknown>;

  private constructor(bundle: Bundle, agentId: string, { env, tree }: Ground) {
    this.#running = startFixture(bundle, [agentId, tree], { env: { ...env } });
    this.#lines = this.#running.lines();
  }

  /** Resolves when the agent is a member. It is killed when the test is over. */
  static async start(bundle: Bundle, agentId: string, ground: Ground): Promise<MailProcess> {
    const agent = new MailProcess(bundle, agentId, ground);
    onTestFinished(() => agent.kill());
    await agent.until("ready");
    return agent;
  }

  get pid(): number {
    return this.#running.pid;
  }

  order(order: MailOrder): void {
    this.#running.send(order);
  }

  /** Gives an order and resolves with the line that says `what`. */
  tell<What extends keyof MailLine>(order: MailOrder, what: What): Promise<NonNullable<MailLine[What]>> {
    this.order(order);
    return this.hear(what);
  }

  async hear<What extends keyof MailLine>(what: What): Promise<NonNullable<MailLine[What]>> {
    return (await this.until(what))[what] as NonNullable<MailLine[What]>;
  }

  /** The next line that says `what`; other lines are passed over. */
  async until(what: keyof MailLine): Promise<MailLine> {
    for (;;) {
      const line = await this.next();
      if (!line) throw new Error(`it ended without "${what}": ${JSON.stringify(await this.#running.ended)}`);
      if (line[what] !== undefined) return line;
    }
  }

  /** The next line; null when there will be no more. */
  async next(): Promise<MailLine | null> {
    const { done, value } = await this.#lines.next();
    return done === true ? null : (value as MailLine);
  }

  signal(signal: NodeJS.Signals): void {
    this.#running.child.kill(signal);
  }

  /** Resolves when the kernel says that the process has stopped. */
  async stop(): Promise<void> {
    this.signal("SIGSTOP");
    while (!/\) [Tt] /.test(readFileSync(`/proc/${this.pid}/stat`, "latin1"))) await nextTurn();
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.#running.ended;
  }
}
