/** All agents of a run: started on their machines, killed, started again, and listened to. */
import { readFileSync } from "node:fs";
import { type Bundle, type RunningFixture, startFixture } from "../../test/support/fixture.ts";
import type { TestHost } from "../../test/support/host-network.ts";
import { nowUs } from "../marks.ts";
import type { Deed, Life, Line, Order, Traits } from "./records.ts";

export interface Place extends Pick<Traits, "agentId" | "tree" | "mates" | "others"> {
  /** The number of its machine. */
  readonly machine: number;
}

interface Running {
  readonly place: Place;
  readonly host: TestHost;
  readonly process: RunningFixture;
  readonly deeds: Deed[];
  roomId: string;
  killedUs: number | null;
  rests: boolean;
}

export interface CrewOptions {
  readonly bundle: Bundle;
  readonly program: string;
  readonly store: string;
  readonly seed: number;
  readonly pace: number;
}

export class Crew {
  readonly #options: CrewOptions;
  readonly #running = new Map<string, Running>();
  readonly #ended: Running[] = [];
  /** Agents that ended by themselves, and what they said. */
  readonly crashes: string[] = [];
  #pace: number;
  #started = 0;

  constructor(options: CrewOptions) {
    this.#options = options;
    this.#pace = options.pace;
  }

  get lives(): readonly Life[] {
    return [...this.#ended, ...this.#running.values()]
      .filter(({ roomId }) => roomId !== "")
      .map(({ place, roomId, deeds, killedUs }) => ({ agentId: place.agentId, roomId, deeds, killedUs }));
  }

  /** Whether it lives, or begins to. */
  has(agentId: string): boolean {
    return this.#running.has(agentId);
  }

  /** Those that are members of their rooms. */
  get members(): readonly string[] {
    return [...this.#running.values()].filter(({ roomId }) => roomId !== "").map(({ place }) => place.agentId);
  }

  /** Resolves when the agent is a member of its room. */
  async start(place: Place, host: TestHost): Promise<void> {
    const { bundle, program, store, seed } = this.#options;
    this.#started += 1;
    const { agentId, tree, mates, others } = place;
    const traits: Traits = { agentId, tree, mates, others, program, pace: this.#pace, seed: seed + this.#started };
    const env = { ...host.ground.env, TT_STORE: store };
    const process = startFixture(bundle, [JSON.stringify(traits)], { env, cwd: tree }, host.enter);
    const running: Running = { place, host, process, deeds: [], roomId: "", killedUs: null, rests: false };
    this.#running.set(agentId, running);
    await new Promise<void>((arrived) => void this.#listen(running, arrived));
  }

  /** Without a goodbye. */
  async kill(agentId: string): Promise<void> {
    const running = this.#running.get(agentId);
    if (running === undefined) return;
    // The process that started it waits for it in its place, with a namespace of its own between the two.
    const { pid } = running.process;
    const [child = ""] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    running.killedUs = nowUs();
    if (child !== "") globalThis.process.kill(Number(child), "SIGKILL");
    await running.process.ended;
  }

  /** The power of their machine fails. */
  async lose(machine: number, host: TestHost): Promise<void> {
    const there = [...this.#running.values()].filter(({ place }) => place.machine === machine);
    for (const running of there) running.killedUs = nowUs();
    await host.die();
    await Promise.all(there.map(({ process }) => process.ended));
  }

  setPace(pace: number): void {
    this.#pace = pace;
    this.#tell({ pace });
  }

  /** Resolves when nobody holds or begins anything any more; they still take their mail. */
  async rest(): Promise<void> {
    this.#tell({ rest: true });
    while ([...this.#running.values()].some(({ rests }) => !rests)) await sleep(50);
  }

  async end(): Promise<void> {
    for (const { process } of this.#running.values()) process.child.stdin?.end();
    await Promise.all([...this.#running.values()].map(({ process }) => process.ended));
  }

  #tell(order: Order): void {
    for (const { process } of this.#running.values()) process.send(order);
  }

  async #listen(running: Running, arrived: () => void): Promise<void> {
    for await (const line of running.process.lines()) {
      const told = line as Line;
      if ("call" in told) running.deeds.push(told);
      else if ("rests" in told) running.rests = true;
      else {
        running.roomId = told.roomId;
        arrived();
      }
    }
    const { code, signal, stderr } = await running.process.ended;
    this.#running.delete(running.place.agentId);
    this.#ended.push(running);
    if (running.killedUs === null && code !== 0) {
      this.crashes.push(`${running.place.agentId} ended with ${signal ?? code}: ${stderr}`);
    }
    arrived();
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
