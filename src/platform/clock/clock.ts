/**
 * The machine's clock for deadlines: boot time, which counts through sleep and which no one can set.
 *
 * `instant.ms` is exactly what /proc/uptime says, in steps of 10 ms. It could be refined with the finer
 * monotonic clock, but every process would then add its own error, and a process that looks later could read
 * an earlier time than one that looked before it. One shared coarse counter keeps the order of looks on the
 * whole machine; the shortest deadline of any room is ten times as long as its steps.
 *
 * `suspendedMs` is boot time less monotonic time, which stands still during sleep. The two cannot be read at
 * once, so the reading is repeated when the process was held up in between, and a difference too small to be
 * sleep is taken as noise. A machine that never slept says exactly 0, in every process.
 *
 * Where there is no /proc/uptime, boot time comes from the runtime and sleep stays unseen.
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
  /** How long the reading took: the bound of its error. */
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
      // Sleep only ever adds up, so a smaller figure can only be a bad reading.
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
