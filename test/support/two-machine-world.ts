/** The service on this machine, with agents of other machines in its rooms, and what the store heard of those machines. */
import type { Policy } from "../../src/core/policy.ts";
import type { ProcessRef } from "../../src/core/process.ts";
import { HostPresence } from "../../src/engine/host-presence.ts";
import type { ProcessProbe } from "../../src/engine/ports/process-probe.ts";
import type { HostRegister } from "../../src/engine/ports/store.ts";
import type { HeardHost } from "../../src/session/rules/host-silence.ts";
import { createTalkingStick, type TalkingStick } from "../../src/surfaces/library/talking-stick.ts";
import { processOf } from "./room-world.ts";
import { agentCalled } from "./service-ports.ts";
import { ServiceWorld } from "./service-world.ts";

const HERE = processOf("test");

/** Of processes on other machines nothing is known. */
const probe: ProcessProbe = {
  self: () => HERE,
  find: () => null,
  verdict: ({ host }: ProcessRef) => (host === HERE.host ? "alive" : "unknown"),
  isSuspended: () => false,
};

interface Traits {
  /** What this machine is called. */
  readonly here?: string;
  readonly policy?: Partial<Policy>;
}

export class TwoMachineWorld extends ServiceWorld {
  readonly #heard: Map<string, HeardHost>;

  constructor({ here = "laptop", policy = {} }: Traits = {}) {
    const heard = new Map<string, HeardHost>();
    const register = { read: async () => [...heard.values()] } as unknown as HostRegister;
    super(policy, { probe, hosts: new HostPresence(register, probe, here) });
    this.#heard = heard;
  }

  /** A process waits on that machine, which was heard of now. `host` is its id. */
  hear(host: string, name: string = host): this {
    const now = this.moment.instant;
    const unbroken = this.#heard.get(host)?.unbroken ?? now;
    this.#heard.set(host, { host, bootId: HERE.bootId, name, heard: now, unbroken, isKept: true });
    return this;
  }

  /** Time goes by, in which only a machine that nobody asks about was heard of. */
  advance(ms: number): this {
    this.hear("witness");
    this.nowMs += ms;
    return this.hear("witness");
  }

  /** An agent with a process on that machine. */
  on(host: string, agent: string): TalkingStick {
    return createTalkingStick(this.deps, { ...agentCalled(agent), process: { ...processOf(agent), host } });
  }
}
