/** The service on this machine, with agents of other machines in its rooms, and what the store heard of those machines. */
import type { Policy } from "../../src/core/policy.ts";
import { bootKey, type ProcessRef } from "../../src/core/process.ts";
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
export const probe: ProcessProbe = {
  self: () => HERE,
  find: () => null,
  verdict: (process: ProcessRef) => (bootKey(process) === bootKey(HERE) ? "alive" : "unknown"),
  isSuspended: () => false,
};

interface Traits {
  /** What this machine is called. */
  readonly here?: string;
  readonly policy?: Partial<Policy>;
}

export class TwoMachineWorld extends ServiceWorld {
  readonly #reads: { hosts: number };
  readonly #heard: Map<string, HeardHost>;

  constructor({ here = "laptop", policy = {} }: Traits = {}) {
    const heard = new Map<string, HeardHost>();
    const reads = { hosts: 0 };
    const read = async () => {
      reads.hosts += 1;
      return [...heard.values()];
    };
    const register = { read } as unknown as HostRegister;
    super(policy, { probe, hosts: new HostPresence(register, probe, here) });
    this.#heard = heard;
    this.#reads = reads;
  }

  /** A process waits on that machine, which was heard of now. `host` is its id. */
  hear(host: string, name: string = host, bootId: string = HERE.bootId): this {
    const now = this.moment.instant;
    const key = bootKey({ host, bootId });
    const unbroken = this.#heard.get(key)?.unbroken ?? now;
    this.#heard.set(key, { host, bootId, name, heard: now, unbroken, isKept: true });
    return this;
  }

  /** Time goes by, in which only a machine that nobody asks about was heard of. */
  advance(ms: number): this {
    this.hear("witness");
    this.nowMs += ms;
    return this.hear("witness");
  }

  /** How often machines are read from now on. */
  countReads(): { readonly hosts: number } {
    this.#reads.hosts = 0;
    return this.#reads;
  }

  /** An agent with a process on that machine. */
  on(host: string, agent: string, bootId: string = HERE.bootId): TalkingStick {
    return createTalkingStick(this.deps, { ...agentCalled(agent), process: { ...processOf(agent), host, bootId } });
  }
}
