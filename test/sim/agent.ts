/** A simulated agent: who it is, in which processes it lives, and what it believes. */

import { asAgentId } from "../../src/core/ids.ts";
import type { ProcessRef } from "../../src/core/process.ts";
import type { Caller } from "../../src/session/rules/decision-input.ts";
import { CONTAINER_NAMESPACE, HOST_NAMESPACE, type Machine } from "./machine.ts";

export interface Token {
  readonly roomId: string;
  readonly leaseId: string;
  readonly expectedTurnId: number;
}

/**
 * `library`: the calling process is the agent. `shell`: a harness that starts a process for every call.
 * `container`: like a library, in a pid namespace that others cannot see into. `named`: known by its name alone,
 * so nothing proves its death. `person`: named, and may override.
 */
export const KINDS = ["library", "shell", "container", "named", "person"] as const;
export type Kind = (typeof KINDS)[number];

interface AgentTraits {
  readonly number: number;
  readonly kind: Kind;
  /** Whether its harness's hooks leave signs of life. */
  readonly hooked: boolean;
}

export class SimAgent {
  readonly kind: Kind;
  readonly id: string;
  readonly harness: string;
  readonly sessionId: string | null;
  readonly #machine: Machine;
  /** Whether its calls name no process, though earlier ones may have. */
  #nameless = false;
  /** The process whose death is the agent's; agents known by name alone have one too, but nobody is told. */
  process: ProcessRef;
  alive = true;
  frozenUntilMs = 0;
  held: Token | null = null;
  /** Tokens of turns that are over, for calls that come late. */
  readonly oldTokens: Token[] = [];
  /** The turn that the last answer offered for takeover. */
  offered: { readonly roomId: string; readonly turnId: number } | null = null;

  constructor(machine: Machine, { number, kind, hooked }: AgentTraits) {
    this.#machine = machine;
    this.kind = kind;
    this.harness = kind === "person" ? "person" : ["Alpha", "Beta"][number % 2]!;
    this.id = `${this.harness.toLowerCase()}:${number}`;
    this.sessionId = hooked ? `session-${number}` : null;
    this.process = machine.spawn(this.namespace);
  }

  get namespace(): string {
    return this.kind === "container" ? CONTAINER_NAMESPACE : HOST_NAMESPACE;
  }

  get isPerson(): boolean {
    return this.kind === "person";
  }

  caller(): Caller {
    const { id, harness, isPerson, sessionId } = this;
    const process = this.#nameless || this.kind === "named" || isPerson ? null : this.process;
    return { agentId: asAgentId(id), harness, isPerson, process, sessionId, formerId: null, tmuxPane: null };
  }

  /** The process that makes one call; it ends with the call unless it is the agent itself. */
  startCall(): ProcessRef {
    const callsItself = this.kind === "library" || this.kind === "container";
    return callsItself ? this.process : this.#machine.spawn(this.namespace);
  }

  endCall(process: ProcessRef): void {
    if (process !== this.process) this.#machine.kill(process);
  }

  crash(): void {
    this.alive = false;
    this.#machine.kill(this.process);
  }

  /** The same agent in a new process. Its token is in a file, so it may still have it. */
  restart({ remembers, nameless }: { readonly remembers: boolean; readonly nameless: boolean }): void {
    this.process = this.#machine.spawn(this.namespace);
    this.alive = true;
    this.frozenUntilMs = 0;
    this.#nameless = nameless;
    if (!remembers) this.letGo();
  }

  hold(token: Token): void {
    this.held = token;
    this.offered = null;
  }

  letGo(): void {
    if (this.held) this.oldTokens.push(this.held);
    if (this.oldTokens.length > 10) this.oldTokens.shift();
    this.held = null;
  }
}
