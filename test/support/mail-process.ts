/** Agents with mailboxes in processes of their own; see fixtures/mail-agent.ts for what they can be told. */
import { onTestFinished } from "vitest";
import type { MailOrder, Shown } from "../promises/fixtures/mail-agent.ts";
import { type Bundle, type RunningFixture, startFixture } from "./fixture.ts";
import type { Ground } from "./sqlite-world.ts";

export interface MailLine {
  readonly ready?: number;
  readonly done?: true;
  readonly sent?: number;
  readonly to?: string;
  readonly shown?: Shown;
  readonly acked?: string;
  readonly asked?: string;
  readonly replied?: string;
  readonly reply?: string | null;
  readonly timedOut?: boolean;
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

  /** The next line that says `what`; what comes before it goes to `others`. */
  async until(what: keyof MailLine, others: (line: MailLine) => void = () => undefined): Promise<MailLine> {
    for (;;) {
      const { done, value } = await this.#lines.next();
      if (done === true) throw new Error(`it ended without "${what}": ${JSON.stringify(await this.#running.ended)}`);
      const line = value as MailLine;
      if (line[what] !== undefined) return line;
      others(line);
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#running.child.kill(signal);
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.#running.ended;
  }
}
