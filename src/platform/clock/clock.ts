/**
 * The machine's clock for deadlines: boot time, which goes on during sleep and which nobody can set.
 *
 * `instant.ms` is exactly what /proc/uptime says, in steps of 10 ms. It could be refined with the finer monotonic
 * clock, but every process would then add its own error, and a process that looks later could read an earlier time than
 * one that looked before it. One shared coarse counter keeps the order of readings on the whole machine. The shortest
 * deadline of any room is ten times as long as one of its steps.
 *
 * `suspendedMs` is boot time less monotonic time, which stands still during sleep. The two cannot be read at the same
 * instant. So the reading is repeated if the process was delayed in between, and a difference that is too small to be
 * sleep counts as noise. On a machine that never slept, every process finds exactly 0.
 *
 * If there is no /proc/uptime, boot time comes from Node and sleep is not noticed.
 */
import type { Clock } from "../../engine/ports/clock.ts";
import { bootId } from "../process/boot-id.ts";
import { monotonicMs as machineMonotonicMs } from "./monotonic.ts";
import { procUptimeMs } from "./uptime.ts";

const UPTIME_STEP_MS = 10;
const NOISE_MS = 50;
const READ_ATTEMPTS = 5;

export interface ClockSources {
  readonly procRoot?: string;
  readonly monotonicMs?: () => number;
  readonly wallMs?: () => number;
}

interface Reading {
  readonly bootMs: number;
  readonly suspendedMs: number;
  /** How long the reading took, which is the largest possible error. */
  readonly widthMs: number;
}

export function createSystemClock(sources: ClockSources = {}): Clock {
  const procRoot = sources.procRoot ?? "/proc";
  const monotonicMs = sources.monotonicMs ?? machineMonotonicMs;
  const wallMs = sources.wallMs ?? (() => Date.now());
  const epoch = bootId(procRoot);
  let latestMs = 0;
  let suspendedMs = 0;

  return {
    now() {
      const reading = readTwoClocks(procRoot, monotonicMs);
      latestMs = Math.max(latestMs, reading.bootMs);
      // The time spent asleep never shrinks, so a smaller number is a bad reading.
      if (reading.suspendedMs > suspendedMs + NOISE_MS + reading.widthMs) suspendedMs = reading.suspendedMs;
      return { instant: { epoch, ms: latestMs }, suspendedMs, wallMs: wallMs() };
    },
  };
}

function readTwoClocks(procRoot: string, monotonicMs: () => number): Reading {
  let best = readOnce(procRoot, monotonicMs);
  for (let attempt = 1; attempt < READ_ATTEMPTS && best.widthMs > UPTIME_STEP_MS; attempt += 1) {
    const again = readOnce(procRoot, monotonicMs);
    if (again.widthMs < best.widthMs) best = again;
  }
  return best;
}

function readOnce(procRoot: string, monotonicMs: () => number): Reading {
  const before = monotonicMs();
  const bootMs = procUptimeMs(procRoot);
  const widthMs = monotonicMs() - before;
  if (bootMs === null)
    return { bootMs: Math.floor(process.getBuiltinModule("node:os").uptime() * 1000), suspendedMs: 0, widthMs: 0 };
  const suspendedMs = Math.round(bootMs + UPTIME_STEP_MS / 2 - (before + widthMs / 2));
  return { bootMs, suspendedMs, widthMs };
}
