/**
 * Lets other machines know that this one runs. While a process waits or keeps a turn, it is noted in the shared store and
 * renews for its machine, at most one write in ten seconds however many processes there are. A wait that is over within
 * a second costs nothing. All of it happens beside the work: a failure is tried again soon and fails nothing.
 *
 *   absent   the store has no note of this process
 *   unsure   a note was begun, and its answer has not come or was a failure
 *   noted    the store has the note
 *
 * A note that this process may have is only over when its end has succeeded: a note that nobody renews makes the machine
 * look silent.
 */
import { parseProcessKey, processKey } from "../core/process.ts";
import {
  FRESH_MS,
  type HeardHost,
  type HeardHosts,
  type NamedBoot,
  otherHosts,
  SPREAD_MS,
} from "../session/rules/host-silence.ts";
import type { ProcessProbe } from "./ports/process-probe.ts";
import type { HostRegister } from "./ports/store.ts";

const FIRST_AFTER_MS = 1000;
const RETRY_AFTER_MS = 2000;
const SPREAD_STEPS = 20;
/** A note that stays is removed by the next process of this machine. */
const CLOSE_WITHIN_MS = 1000;

export class HostPresence {
  readonly #register: HostRegister;
  readonly #probe: ProcessProbe;
  readonly #name: string;
  /** How many waits of this process hold its note. */
  #holders = 0;
  #note: "absent" | "unsure" | "noted" = "absent";
  #isClosed = false;
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
      if (this.#holders === 0) void this.#call(() => this.#end());
    };
  }

  /** Before the store is closed: tells it that this process ends, unless the store is slow to hear it. */
  async close(): Promise<void> {
    this.#holders = 0;
    this.#isClosed = true;
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise((resolve) => {
      timer = setTimeout(resolve, CLOSE_WITHIN_MS);
    });
    await Promise.race([this.#call(() => this.#end()), isLate]);
    clearTimeout(timer);
  }

  /** This machine. */
  get own(): NamedBoot {
    const { host, bootId } = this.#probe.self();
    return { host, bootId, name: this.#name };
  }

  async others(): Promise<HeardHosts> {
    return otherHosts(await this.all(), this.own);
  }

  all(): Promise<readonly HeardHost[]> {
    return this.#register.read();
  }

  #callIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#call(() => this.#keep()), ms);
    this.#timer.unref();
  }

  /** Works when its turn comes, and again when the work says so. */
  async #call(work: () => Promise<number | null>): Promise<void> {
    clearTimeout(this.#timer);
    // The store may be away, or closed by now. Others then learn of this machine a little later.
    const againInMs = this.#last.then(work).catch(() => RETRY_AFTER_MS);
    this.#last = againInMs;
    const ms = await againInMs;
    if (ms !== null && !this.#isClosed) this.#callIn(ms);
  }

  async #keep(): Promise<number | null> {
    if (this.#holders === 0) return this.#end();
    const self = this.#probe.self();
    const heardMsAgo = this.#note === "noted" ? await this.#register.renew(self, FRESH_MS) : null;
    if (heardMsAgo === null) await this.#begin();
    // The process that renewed last may end. So each comes when there is something to renew, but not all at once.
    const spreadMs = (self.pid % SPREAD_STEPS) * (SPREAD_MS / SPREAD_STEPS);
    return Math.max(RETRY_AFTER_MS, FRESH_MS + spreadMs - (heardMsAgo ?? 0));
  }

  async #begin(): Promise<void> {
    const self = this.#probe.self();
    this.#note = "unsure";
    const before = await this.#register.begin(self, this.#name);
    const ended = before.filter((key) => this.#isGone(key));
    if (ended.length > 0) await this.#register.end(self, ended);
    this.#note = "noted";
  }

  /** Nothing is left to do afterwards. */
  async #end(): Promise<null> {
    if (this.#holders > 0 || this.#note === "absent") return null;
    const self = this.#probe.self();
    await this.#register.end(self, [processKey(self)]);
    this.#note = "absent";
    return null;
  }

  #isGone(key: string): boolean {
    const process = parseProcessKey(key);
    return process !== null && this.#probe.verdict(process) === "gone";
  }
}
