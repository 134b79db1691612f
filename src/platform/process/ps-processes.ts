import { askProgram } from "./ask-program.ts";
import type { ProcessTable, Sighting } from "./process-table.ts";

/** A child process per look is expensive, so looks in quick succession share one. */
const FRESH_FOR_MS = 500;

export interface PsOptions {
  /** What ps prints for one pid; throws with `status` 1 when there is no such process. */
  readonly runPs?: (pid: number) => string;
  readonly monotonicMs?: () => number;
}

/** Processes as `ps` shows them, for machines without /proc. */
export function createPsProcesses(options: PsOptions = {}): ProcessTable {
  const runPs = options.runPs ?? ((pid: number) => askProgram("ps", ["-o", "lstart=,state=", "-p", String(pid)]));
  const monotonicMs = options.monotonicMs ?? (() => Number(process.hrtime.bigint()) / 1e6);
  const seenAt = new Map<number, { readonly sighting: Sighting; readonly atMs: number }>();

  const look = (pid: number): Sighting => {
    const atMs = monotonicMs();
    const recent = seenAt.get(pid);
    if (recent !== undefined && atMs - recent.atMs < FRESH_FOR_MS) return recent.sighting;
    for (const [key, { atMs: then }] of seenAt) if (atMs - then >= FRESH_FOR_MS) seenAt.delete(key);
    const sighting = lookOnce(pid, runPs);
    seenAt.set(pid, { sighting, atMs });
    return sighting;
  };

  return {
    pidNamespace: "none",
    look,
    ownStartTicks() {
      const own = look(process.pid);
      return own.seen === "running" ? own.startTicks : "";
    },
  };
}

function lookOnce(pid: number, runPs: (pid: number) => string): Sighting {
  try {
    return sightingOfPs(runPs(pid));
  } catch (error) {
    // Exit code 1 is how ps says "no such process"; a time-out or a missing ps says nothing.
    const saidNo = typeof error === "object" && error !== null && "status" in error && error.status === 1;
    return { seen: saidNo ? "nothing" : "hidden" };
  }
}

/** "Mon Jan  5 09:00:00 2026     Ss": the start time, in which ps pads with blanks, then the state. */
export function sightingOfPs(line: string): Sighting {
  const words = line.trim().split(/\s+/);
  if (words.length !== 6) return { seen: "hidden" };
  const state = words[5] ?? "";
  if (state.startsWith("Z")) return { seen: "nothing" };
  const isStopped = state.startsWith("T");
  return { seen: "running", startTicks: words.slice(0, 5).join(" "), ...(isStopped && { isStopped }) };
}
