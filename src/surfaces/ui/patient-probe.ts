/** Looks at each process at most every two seconds, however often it is asked. For readers that only watch. */
import { type ProcessRef, processKey } from "../../core/process.ts";
import type { ProcessProbe } from "../../engine/ports/process-probe.ts";

/** A little less than the time between two looks of a waiter, so that each of those sees something new. */
const PATIENCE_MS = 1950;

export function patientProbe(probe: ProcessProbe): ProcessProbe {
  return {
    self: () => probe.self(),
    find: (pid) => probe.find(pid),
    verdict: remembering((ref) => probe.verdict(ref)),
    isSuspended: remembering((ref) => probe.isSuspended(ref)),
  };
}

function remembering<Seen>(look: (ref: ProcessRef) => Seen): (ref: ProcessRef) => Seen {
  const known = new Map<string, Seen>();
  return (ref) => {
    const key = processKey(ref);
    const before = known.get(key);
    if (before !== undefined) return before;
    if (known.size === 0) setTimeout(() => known.clear(), PATIENCE_MS).unref();
    const seen = look(ref);
    known.set(key, seen);
    return seen;
  };
}
