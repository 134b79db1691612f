/** All agents of a run: started on their machines, killed, started again, and listened to. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
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
  readonly process: RunningFixture;
  readonly deeds: Deed[];
  roomId: string;
  endedUs: number | null;
  wasKilled: boolean;
  rests: boolean;
}

export interface CrewOptions {
  readonly bundle: Bundle;
  readonly program: string;
  readonly store: string;
  readonly seed: number;
  readonly pace: number;
}

/** Many times what it takes. */
const RESTS_WITHIN_MS = 180_000;
const ENDS_WITHIN_MS = 10_000;

export class Crew {
  readonly #options: CrewOptions;
  readonly #running = new Map<string, Running>();
  readonly #ended: Running[] = [];
  /** Agents that ended by themselves, and what they said. */
  readonly crashes: string[] = [];
  /** Rejected when something fails beside the run. */
  readonly failed: Promise<never>;
  #fail: (error: unknown) => void = () => undefined;
  #pace: number;
  #started = 0;
  #isOver = false;

  constructor(options: CrewOptions) {
    this.#options = options;
    this.#pace = options.pace;
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    // Where nobody waits for it yet, a failure must not end this process before it has cleared up.
    this.failed.catch(() => undefined);
  }

  get lives(): readonly Life[] {
    return [...this.#ended, ...this.#running.values()]
      .filter(({ roomId }) => roomId !== "")
      .map(({ place, roomId, deeds, endedUs }) => ({ agentId: place.agentId, roomId, deeds, endedUs }));
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
    const running: Running = {
      place,
      process,
      deeds: [],
      roomId: "",
      endedUs: null,
      wasKilled: false,
      rests: false,
    };
    this.#running.set(agentId, running);
    await new Promise<void>((arrived) => this.guard(this.#listen(running, arrived)));
  }

  /** Without a goodbye. */
  async kill(agentId: string): Promise<void> {
    const running = this.#running.get(agentId);
    if (running === undefined) return;
    markKilled(running);
    killChildren(running.process.pid);
    await running.process.ended;
  }

  /** The power of their machine fails. */
  async lose(machine: number, host: TestHost): Promise<void> {
    const there = [...this.#running.values()].filter(({ place }) => place.machine === machine);
    for (const running of there) markKilled(running);
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
    const until = performance.now() + RESTS_WITHIN_MS;
    for (;;) {
      const awake = [...this.#running.values()].filter(({ rests }) => !rests).map(({ place }) => place.agentId);
      if (awake.length === 0) return;
      if (performance.now() > until) throw new Error(`${awake.join(", ")} did not come to rest`);
      await sleep(50);
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    const all = [...this.#running.values()];
    for (const running of all) running.process.child.stdin?.end();
    const late = setTimeout(() => {
      for (const { process } of all) killChildren(process.pid);
    }, ENDS_WITHIN_MS);
    await Promise.all(all.map(({ process }) => process.ended));
    clearTimeout(late);
  }

  /** What fails beside the run makes it fail. */
  guard(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#fail(error));
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
    running.endedUs ??= this.#isOver ? null : nowUs();
    const { code, signal, stderr } = await running.process.ended;
    this.#running.delete(running.place.agentId);
    this.#ended.push(running);
    if (!running.wasKilled && code !== 0) {
      this.crashes.push(`${running.place.agentId} ended with ${signal ?? code}: ${stderr}`);
    }
    arrived();
  }
}

function markKilled(running: Running): void {
  running.wasKilled = true;
  running.endedUs = nowUs();
}

/** The process that starts an agent in its place waits for it there, with a namespace of its own between the two. */
function killChildren(pid: number): void {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    for (const child of children.filter(Boolean)) process.kill(Number(child), "SIGKILL");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ESRCH") throw error;
  }
}
