/**
 * One thread of virtual time.
 *
 * Every call of every agent is a coroutine. It runs alone until it parks at a port (a gate before and after each
 * use of the store, a sleep on the bell) or ends, and goes on only when it is resumed. So a run depends on nothing
 * but the order of the resumptions, which the world draws from its seed. `nowMs` is monotonic time: it stands
 * still while a machine sleeps and never goes back.
 */

import type { ProcessRef } from "../../src/core/process.ts";
import type { Instant } from "../../src/core/time.ts";
import type { WakeReason } from "../../src/engine/ports/bell.ts";
import type { Caller } from "../../src/session/rules/decision-input.ts";
import type { Command } from "./commands.ts";

interface Parking {
  readonly at: "gate" | "bell";
  atMs: number;
  reason: WakeReason;
  readonly wake: (reason: WakeReason) => void;
}

/** One call in flight, and what it knows. */
export class Call {
  readonly command: Command;
  readonly agentId: string;
  readonly caller: Caller;
  readonly process: ProcessRef;
  /** Whether its agent's harness died and left it running. */
  isOrphan = false;
  readonly cancel = new AbortController();
  parking: Parking | null = null;
  /** When the call last read a room, by monotonic time and by the clock: its evidence is that old. */
  readAtMs = 0;
  readAt: Instant = { epoch: "", ms: 0 };
  /** The resumption in which it last looked at one whole room. */
  lookedIn = -1;
  readonly #number: number;
  #ids = 0;

  constructor(number: number, command: Command, { caller, process }: { caller: Caller; process: ProcessRef }) {
    this.#number = number;
    this.command = command;
    this.agentId = caller.agentId;
    this.caller = caller;
    this.process = process;
  }

  get name(): string {
    return this.command.name;
  }

  /** Ids that depend on nothing but this call, so that a call which needs more of them changes no other. */
  nextId(): string {
    this.#ids += 1;
    return `${this.#number}x${this.#ids}`;
  }

  readyAt(nowMs: number): boolean {
    return this.parking !== null && this.parking.atMs <= nowMs;
  }
}

export class Scheduler {
  #nowMs = 0;
  #resumptions = 0;
  #running: Call | null = null;
  #handBack: () => void = () => undefined;
  readonly #calls = new Set<Call>();

  get nowMs(): number {
    return this.#nowMs;
  }

  get running(): Call {
    if (!this.#running) throw new Error("a port was used outside of any call");
    return this.#running;
  }

  get calls(): readonly Call[] {
    return [...this.#calls];
  }

  /** Resolves when the call parked for the first time, or ended. `work` must not reject. */
  async start(call: Call, work: () => Promise<void>): Promise<void> {
    this.#calls.add(call);
    await this.#run(call, () => {
      void work().finally(() => {
        this.#calls.delete(call);
        this.#handBack();
      });
    });
  }

  /** Resolves when the call parked again, or ended. */
  async resume(call: Call): Promise<void> {
    const { parking } = call;
    if (!parking) throw new Error(`${call.name} is not parked`);
    call.parking = null;
    await this.#run(call, () => parking.wake(parking.reason));
  }

  /** The running call stops here until it is resumed, which may be at once. */
  async gate(): Promise<void> {
    await this.#park("gate", this.#nowMs);
  }

  sleepUntil(atMs: number): Promise<WakeReason> {
    return this.#park("bell", atMs);
  }

  /** How often a call was resumed so far. */
  get resumptions(): number {
    return this.#resumptions;
  }

  /** Makes a sleeping call ready before its time. */
  rouse(call: Call, reason: WakeReason): void {
    if (!call.parking || call.parking.atMs <= this.#nowMs) return;
    call.parking.atMs = this.#nowMs;
    call.parking.reason = reason;
  }

  /** The call is never resumed again: its process is gone. */
  drop(call: Call): void {
    this.#calls.delete(call);
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }

  /** Monotonic time until the next sleeper wakes; null when nobody sleeps. */
  msToNextWake(): number | null {
    const times = [...this.#calls].flatMap((call) => (call.parking ? [call.parking.atMs - this.#nowMs] : []));
    return times.length === 0 ? null : Math.max(0, Math.min(...times));
  }

  #park(at: Parking["at"], atMs: number): Promise<WakeReason> {
    const call = this.running;
    return new Promise((resolve) => {
      call.parking = { at, atMs, reason: "timeout", wake: resolve };
      this.#handBack();
    });
  }

  async #run(call: Call, go: () => void): Promise<void> {
    this.#running = call;
    this.#resumptions += 1;
    const parkedOrEnded = new Promise<void>((resolve) => {
      this.#handBack = resolve;
    });
    go();
    await parkedOrEnded;
    this.#running = null;
  }
}
