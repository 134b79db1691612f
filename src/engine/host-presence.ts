/**
 * Lets other machines know that this one runs. While a process waits or keeps a turn, it is noted in the shared store and
 * renews for its machine, at most one write in ten seconds however many processes there are. A wait that is over within
 * a second costs nothing. All of it happens beside the work: a failure is tried again soon and fails nothing.
 */
import { type BootRef, parseProcessKey, processKey } from "../core/process.ts";
import {
  FRESH_MS,
  type HeardHost,
  type HeardHosts,
  otherHosts,
  RENEW_EVERY_MS,
} from "../session/rules/host-silence.ts";
import type { ProcessProbe } from "./ports/process-probe.ts";
import type { HostRegister } from "./ports/store.ts";

const FIRST_AFTER_MS = 1000;
const RETRY_AFTER_MS = 2000;
/** A note that stays is removed by the next process of this machine. */
const CLOSE_WITHIN_MS = 1000;

export class HostPresence {
  readonly #register: HostRegister;
  readonly #probe: ProcessProbe;
  readonly #name: string;
  /** How many waits of this process hold its note. */
  #holders = 0;
  #isNoted = false;
  #timer: NodeJS.Timeout | undefined;
  /** One statement after the other: an end must not overtake its beginning. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(register: HostRegister, probe: ProcessProbe, name: string) {
    this.#register = register;
    this.#probe = probe;
    this.#name = name;
  }

  /** This process stays until the returned function is called. */
  hold(): () => void {
    this.#holders += 1;
    if (this.#holders === 1) this.#callIn(FIRST_AFTER_MS);
    return () => {
      this.#holders -= 1;
      if (this.#holders === 0) void this.#rest();
    };
  }

  /** Before the store is closed: tells it that this process ends, unless the store is slow to hear it. */
  async close(): Promise<void> {
    this.#holders = 0;
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise((resolve) => {
      timer = setTimeout(resolve, CLOSE_WITHIN_MS);
    });
    await Promise.race([this.#rest(), isLate]);
    clearTimeout(timer);
  }

  async others(): Promise<HeardHosts> {
    return otherHosts(await this.all(), this.#probe.self());
  }

  all(): Promise<readonly HeardHost[]> {
    return this.#register.read();
  }

  #rest(): Promise<unknown> {
    clearTimeout(this.#timer);
    if (!this.#isNoted) return this.#last;
    this.#isNoted = false;
    const self = this.#probe.self();
    return this.#then(() => this.#register.end(self, [processKey(self)]));
  }

  #callIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#call(), ms);
    this.#timer.unref();
  }

  async #call(): Promise<void> {
    const isDone = await this.#then(() => (this.#isNoted ? this.#renew() : this.#begin()));
    if (this.#holders > 0) this.#callIn(isDone ? RENEW_EVERY_MS : RETRY_AFTER_MS);
  }

  async #begin(): Promise<void> {
    const self = this.#probe.self();
    this.#isNoted = true;
    try {
      const before = await this.#register.begin(self, this.#name);
      const ended = before.filter((key) => this.#isGone(key));
      if (ended.length > 0) await this.#register.end(self, ended);
    } catch (error) {
      this.#isNoted = false;
      throw error;
    }
  }

  #renew(): Promise<void> {
    return this.#register.renew(this.#boot(), FRESH_MS);
  }

  #boot(): BootRef {
    return this.#probe.self();
  }

  #isGone(key: string): boolean {
    const process = parseProcessKey(key);
    return process !== null && this.#probe.verdict(process) === "gone";
  }

  /** Whether it succeeded. */
  #then(work: () => Promise<unknown>): Promise<boolean> {
    const done = this.#last.then(work).then(
      () => true,
      // The store may be away, or closed by now. Others then learn of this machine a little later.
      () => false,
    );
    this.#last = done;
    return done;
  }
}
