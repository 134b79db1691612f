/** Real agents in real processes: each answers the calls that a test sends it. */
import { onTestFinished } from "vitest";
import type { Environment } from "../../src/platform/settings/environment.ts";
import { type Bundle, type RunningFixture, startFixture } from "./fixture.ts";

/** An answer as it came over the pipe, with what the process's clocks said then. */
export interface Told<Answer = Readonly<Record<string, unknown>>> {
  readonly answer: Answer;
  /** The machine's monotonic clock, in nanoseconds. */
  readonly at: bigint;
  readonly wallMs: number;
}

export interface AgentOptions {
  readonly bundle: Bundle;
  readonly agentId: string;
  readonly env: Environment;
  /** A command that starts the rest of its line, such as `unshare -pf`. */
  readonly through?: readonly string[];
}

interface Line {
  readonly id?: number;
  readonly ready?: number;
  readonly answer?: Readonly<Record<string, unknown>>;
  readonly at: string;
  readonly wallMs: number;
}

export class AgentProcess {
  readonly agentId: string;
  readonly #running: RunningFixture;
  readonly #waiting = new Map<number, (line: Line) => void>();
  readonly #ready: Promise<Line>;
  #calls = 0;

  private constructor({ bundle, agentId, env, through }: AgentOptions) {
    this.agentId = agentId;
    this.#running = startFixture(bundle, [agentId], { env: { ...env } }, through);
    this.#ready = new Promise((resolve) => this.#waiting.set(0, resolve));
    void this.#listen();
  }

  /** Resolves when the agent has its store open. It is killed when the test is over. */
  static async start(options: AgentOptions): Promise<AgentProcess> {
    const agent = new AgentProcess(options);
    onTestFinished(() => agent.kill());
    await Promise.race([agent.#ready, agent.#endsEarly()]);
    return agent;
  }

  get pid(): number {
    return this.#running.pid;
  }

  /** The pid as the process itself knows it, which is another one in a pid namespace. */
  async ownPid(): Promise<number> {
    return (await this.#ready).ready ?? -1;
  }

  /** Makes a call; the promise stays open while the process does not answer, and fails when it ends instead. */
  call(call: string, input: object): Promise<Told> {
    this.#calls += 1;
    const id = this.#calls;
    const answered = new Promise<Line>((resolve) => this.#waiting.set(id, resolve));
    this.#running.send({ id, call, input });
    const told = Promise.race([answered, this.#endsEarly()]).then(({ answer = {}, at, wallMs }) => {
      return { answer, at: BigInt(at), wallMs };
    });
    // A test that kills an agent need not look at what it was doing.
    told.catch(() => undefined);
    return told;
  }

  /** Resolves when the process has ended and nothing is left of it. */
  async ended(): Promise<void> {
    await this.#running.ended;
  }

  signal(signal: NodeJS.Signals): void {
    this.#running.child.kill(signal);
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.ended();
  }

  async #listen(): Promise<void> {
    for await (const line of this.#running.lines()) {
      const { id = 0 } = line as Line;
      this.#waiting.get(id)?.(line as Line);
      this.#waiting.delete(id);
    }
  }

  async #endsEarly(): Promise<never> {
    const { code, signal, stderr } = await this.#running.ended;
    throw new Error(`${this.agentId} ended without an answer: ${code ?? signal}: ${stderr}`);
  }
}
