/** What goes wrong, and how often. Everything that happens is counted under its name. */
import type { Fault } from "../../src/core/fault.ts";
import type { SeededRandom } from "../support/random.ts";
import type { SimAgent } from "./agent.ts";
import type { Counters } from "./counters.ts";
import { type StoreFaults, storeFault } from "./faulty-store.ts";
import type { Machine } from "./machine.ts";
import type { Call, Scheduler } from "./scheduler.ts";

const HOUR_MS = 3_600_000;

interface Stage {
  readonly random: SeededRandom;
  readonly counters: Counters;
  readonly scheduler: Scheduler;
  readonly machine: Machine;
  readonly agents: readonly SimAgent[];
  /** Those whose trouble is everybody's. */
  readonly inTheWay: () => readonly SimAgent[];
  readonly reboots: boolean;
  /** Draws which calls outlive their agent; null where none does. */
  readonly leavesBehind: SeededRandom | null;
}

type Happening = "crash" | "restart" | "cancel" | "kill_call" | "freeze" | "sign" | "suspend" | "wall_jump" | "reboot";

const HAPPENINGS: readonly Happening[] = [
  ...Array.from({ length: 6 }, () => "crash" as const),
  ...Array.from({ length: 10 }, () => "restart" as const),
  ...Array.from({ length: 5 }, () => "cancel" as const),
  ...Array.from({ length: 4 }, () => "kill_call" as const),
  ...Array.from({ length: 4 }, () => "freeze" as const),
  ...Array.from({ length: 6 }, () => "sign" as const),
  ...Array.from({ length: 2 }, () => "suspend" as const),
  ...Array.from({ length: 3 }, () => "wall_jump" as const),
  "reboot",
];

/** Every fault, for the counters of a run: each of them must have happened. */
export const FAULTS = [
  "crash",
  "crash_mid_wait",
  "orphan",
  "restart",
  "restart_nameless",
  "cancel",
  "kill_call",
  "freeze",
  "sign",
  "suspend",
  "wall_jump",
  "reboot",
  "lost_ring",
  "deaf_bell",
  "store_busy",
  "store_full",
  "read_busy",
  "outcome_unknown",
] as const;

export class FaultInjector implements StoreFaults {
  readonly #stage: Stage;
  /** While false the world is kind: nothing new goes wrong. */
  active = true;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  beforeChange(): Fault | null {
    if (this.#strikes("store_busy", 0.02)) return storeFault("store_busy", { retry: true });
    return this.#strikes("store_full", 0.01) ? storeFault("store_full", { retry: false }) : null;
  }

  afterChange(): Fault | null {
    if (!this.#strikes("outcome_unknown", 0.02)) return null;
    const retry = this.#stage.random.chance(0.7);
    return storeFault("store_unreachable", { retry, outcomeUnknown: true });
  }

  onRead(): Fault | null {
    return this.#strikes("read_busy", 0.01) ? storeFault("store_busy", { retry: true }) : null;
  }

  /** Once the world is kind, all are lost: nobody may depend on them. */
  losesRing(): boolean {
    return !this.active || this.#strikes("lost_ring", 0.1);
  }

  isDeaf(): boolean {
    return this.#strikes("deaf_bell", 0.05);
  }

  /** Something happens to the machine or to an agent. Says what, for the trace. */
  strike(): string {
    const { random } = this.#stage;
    const what = random.pick(HAPPENINGS);
    if (what === "reboot") return random.chance(0.5) && this.#stage.reboots ? this.#reboot() : "nothing";
    if (what === "suspend" || what === "wall_jump") return this.#moveClocks(what);
    if (what === "cancel" || what === "kill_call") return this.#hitCall(what);
    const inTheWay = this.#stage.inTheWay();
    return this.#hitAgent(what, random.pick(inTheWay.length > 0 && random.chance(0.5) ? inTheWay : this.#stage.agents));
  }

  /** Nothing goes wrong any more. Some of the agents that are down come back, the others never do. */
  heal(): void {
    const { random, agents } = this.#stage;
    this.active = false;
    for (const agent of agents) {
      const isNeeded = agents.every((one) => !one.alive);
      if (!agent.alive && (isNeeded || random.chance(0.5))) agent.restart({ remembers: true, nameless: false });
      agent.frozenUntilMs = 0;
    }
  }

  #strikes(name: string, probability: number): boolean {
    const { random, counters } = this.#stage;
    const hit = this.active && random.chance(probability);
    if (hit) counters.add(`fault ${name}`);
    return hit;
  }

  #moveClocks(what: "suspend" | "wall_jump"): string {
    const { random, counters, machine } = this.#stage;
    counters.add(`fault ${what}`);
    const ms = random.pick([3_000, 90_000, 8 * HOUR_MS]);
    if (what === "suspend") machine.suspend(ms);
    else machine.jumpWallClock(random.pick([-1, 1, -10_000]) * ms);
    return `${what} ${ms} ms`;
  }

  #hitCall(what: "cancel" | "kill_call"): string {
    const { random, counters, scheduler, agents } = this.#stage;
    const calls = scheduler.calls.filter((call) => call.parking);
    if (calls.length === 0) return "nothing";
    const call = random.pick(calls);
    if (what === "cancel") call.cancel.abort();
    else {
      const agent = agents.find((one) => one.id === call.agentId);
      if (!agent || call.process === agent.process) return "nothing";
      this.#end(call, agent);
    }
    counters.add(`fault ${what}`);
    return `${what} of ${call.agentId}: ${call.name}`;
  }

  #hitAgent(what: "crash" | "restart" | "freeze" | "sign", agent: SimAgent): string {
    const { random, counters, scheduler, machine } = this.#stage;
    if (agent.alive !== (what !== "restart")) return "nothing";
    if (what === "crash") this.#crash(agent);
    else if (what === "freeze") agent.frozenUntilMs = scheduler.nowMs + random.pick([1_000, 20_000, 200_000]);
    else if (what === "sign") {
      if (agent.sessionId === null) return "nothing";
      machine.leaveSign(agent.sessionId);
    } else {
      const nameless = random.chance(0.2);
      if (nameless) counters.add("fault restart_nameless");
      agent.restart({ remembers: random.chance(0.5), nameless });
    }
    counters.add(`fault ${what}`);
    return `${what} of ${agent.id}`;
  }

  #crash(agent: SimAgent, { mayOrphan = true } = {}): void {
    const calls = this.#stage.scheduler.calls.filter((call) => call.agentId === agent.id);
    if (calls.some((call) => /^(wait|listen) [1-9]/.test(call.name))) this.#stage.counters.add("fault crash_mid_wait");
    for (const call of calls) {
      if (mayOrphan && this.#isLeftBehind(call, agent)) call.isOrphan = true;
      else this.#end(call, agent);
    }
    agent.crash();
  }

  /** What a shell was started for may go on without the harness that started it. */
  #isLeftBehind(call: Call, agent: SimAgent): boolean {
    const { leavesBehind, counters } = this.#stage;
    if (call.process === agent.process || call.caller.process === null) return false;
    if (!leavesBehind?.chance(0.5)) return false;
    counters.add("fault orphan");
    return true;
  }

  #end(call: Call, agent: SimAgent): void {
    this.#stage.scheduler.drop(call);
    agent.endCall(call.process);
  }

  #reboot(): string {
    const { agents, machine, counters } = this.#stage;
    for (const agent of agents) this.#crash(agent, { mayOrphan: false });
    machine.reboot();
    counters.add("fault reboot");
    return "reboot";
  }
}
