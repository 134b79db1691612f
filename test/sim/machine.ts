/** The simulated machine: its clocks, its processes, and the signs of life that hooks leave. */
import { type ProcessRef, processKey } from "../../src/core/process.ts";
import type { Instant } from "../../src/core/time.ts";
import type { ActivityLog } from "../../src/engine/ports/activity.ts";
import type { Clock } from "../../src/engine/ports/clock.ts";
import type { ProcessProbe } from "../../src/engine/ports/process-probe.ts";
import { createProcessProbe } from "../../src/platform/process/process-probe.ts";
import type { Sighting } from "../../src/platform/process/process-table.ts";
import type { Scheduler } from "./scheduler.ts";

export const HOST_NAMESPACE = "pid:[1]";
export const CONTAINER_NAMESPACE = "pid:[2]";

const HOST = "local";
const UP_SINCE_MS = 5_000;
/** Few pids, so that they are reused soon. */
const PIDS = 10;

interface Sign {
  readonly at: Instant;
  readonly seenFromMs: number;
}

export class Machine {
  readonly clock: Clock = { now: () => this.moment() };
  readonly activity: ActivityLog = { lastSign: (sessionId) => this.#signs.get(sessionId)?.at(-1)?.at ?? null };
  readonly #scheduler: Scheduler;
  readonly #running = new Map<string, Map<number, string>>();
  readonly #diedAtMs = new Map<string, number>();
  readonly #signs = new Map<string, Sign[]>();
  #boots = 1;
  #bootedAtMs: number;
  #suspendedMs = 0;
  #wallOffsetMs = Date.UTC(2026, 0, 1);
  #started = 0;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
    this.#bootedAtMs = scheduler.nowMs - UP_SINCE_MS;
  }

  moment() {
    const { nowMs } = this.#scheduler;
    return {
      instant: { epoch: this.#bootId, ms: nowMs - this.#bootedAtMs + this.#suspendedMs },
      suspendedMs: this.#suspendedMs,
      wallMs: this.#wallOffsetMs + nowMs,
    };
  }

  /** Monotonic time, as in a call's `readAtMs`. */
  get nowMs(): number {
    return this.#scheduler.nowMs;
  }

  get #bootId(): string {
    return `boot-${this.#boots}`;
  }

  /** The machine sleeps: boot time and wall time go on, monotonic time does not. */
  suspend(ms: number): void {
    this.#suspendedMs += ms;
    this.#wallOffsetMs += ms;
  }

  jumpWallClock(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  /** Every process ends and the clock starts again under another name. */
  reboot(): void {
    this.#boots += 1;
    this.#bootedAtMs = this.#scheduler.nowMs - UP_SINCE_MS;
    this.#suspendedMs = 0;
    this.#running.clear();
    this.#signs.clear();
  }

  spawn(pidNamespace: string): ProcessRef {
    const table = this.#running.get(pidNamespace) ?? new Map<number, string>();
    this.#running.set(pidNamespace, table);
    this.#started += 1;
    let pid = (this.#started % PIDS) + 1;
    while (table.has(pid)) pid += 1;
    const startTicks = String(this.#started);
    table.set(pid, startTicks);
    return { host: HOST, bootId: this.#bootId, pidNamespace, pid, startTicks };
  }

  kill(process: ProcessRef): void {
    if (!this.isRunning(process)) return;
    this.#running.get(process.pidNamespace)?.delete(process.pid);
    this.#diedAtMs.set(processKey(process), this.#scheduler.nowMs);
  }

  /** Whether an agent that looked at monotonic time `readAtMs` may have found it running. */
  mayHaveRunAt(process: ProcessRef, readAtMs: number): boolean {
    return this.isRunning(process) || (this.#diedAtMs.get(processKey(process)) ?? -1) >= readAtMs;
  }

  /** The truth, which no probe in another namespace can see. */
  isRunning(process: ProcessRef): boolean {
    const sameBoot = process.bootId === this.#bootId;
    return sameBoot && this.#running.get(process.pidNamespace)?.get(process.pid) === process.startTicks;
  }

  /** The product's own probe, looking at this machine's processes from inside `self`. */
  probeOf(self: ProcessRef): ProcessProbe {
    const look = (pid: number): Sighting => {
      const startTicks = this.#running.get(self.pidNamespace)?.get(pid);
      return startTicks === undefined ? { seen: "nothing" } : { seen: "running", startTicks };
    };
    const processes = { pidNamespace: self.pidNamespace, look, ownStartTicks: () => self.startTicks };
    const probe = createProcessProbe({ host: HOST, soleMachine: true, bootId: self.bootId, processes });
    return { ...probe, self: () => self };
  }

  /** A hook of the session's harness shows that it is at work. */
  leaveSign(sessionId: string): void {
    const signs = this.#signs.get(sessionId) ?? [];
    this.#signs.set(sessionId, [...signs.slice(-20), { at: this.moment().instant, seenFromMs: this.#scheduler.nowMs }]);
  }

  /** Whether a sign was left in the very moment `readAtMs`, so that who looked then may have seen it or not. */
  mayHaveSignedAt(sessionId: string, readAtMs: number): boolean {
    return this.#signs.get(sessionId)?.some((sign) => sign.seenFromMs === readAtMs) ?? false;
  }

  /** The last sign that an agent that looked at monotonic time `readAtMs` must have seen. */
  signSeenAt(sessionId: string, readAtMs: number): Instant | null {
    return this.#signs.get(sessionId)?.findLast((sign) => sign.seenFromMs < readAtMs)?.at ?? null;
  }
}
