import { pathIn } from "../files/path-in.ts";
import { errorCode } from "../files/system-error.ts";
import { readProcLink, readProcText, STAT_LENGTH, statFields } from "./proc-text.ts";
import { KeptStats } from "./process-stat.ts";
import type { ProcessTable, Sighting } from "./process-table.ts";

export interface ProcfsOptions {
  readonly procRoot?: string;
  /** Throws as process.kill(pid, 0) does. */
  readonly signal?: (pid: number) => void;
}

const NOTHING: Sighting = { seen: "nothing" };
const HIDDEN: Sighting = { seen: "hidden" };

/** Processes as Linux shows them in /proc. */
export function createProcfsProcesses(options: ProcfsOptions = {}): ProcessTable {
  const procRoot = options.procRoot ?? "/proc";
  const signal = options.signal ?? ((pid: number) => process.kill(pid, 0));
  const stats = new KeptStats(procRoot);
  const showsOurNumbers = readProcLink(pathIn(procRoot, "self")) === String(process.pid);

  return {
    pidNamespace: readProcLink(pathIn(procRoot, "self/ns/pid")) ?? "unknown",
    look(pid) {
      // A /proc mounted for another pid namespace has other processes under our numbers.
      if (!showsOurNumbers) return lookBySignal(pid, signal);
      try {
        return sightingOf(stats.read(pid));
      } catch (error) {
        const code = errorCode(error);
        return code === "ENOENT" || code === "ESRCH" ? lookBySignal(pid, signal) : HIDDEN;
      }
    },
    ownStartTicks() {
      // The empty text parses to "hidden", which is the truth.
      const own = sightingOf(readProcText(pathIn(procRoot, "self/stat"), STAT_LENGTH) ?? "");
      return own.seen === "running" ? own.startTicks : "";
    },
  };
}

/** A line of /proc/<pid>/stat. */
export function sightingOf(stat: string): Sighting {
  const fields = statFields(stat);
  if (fields === null) return HIDDEN;
  const { state, threads, startTicks } = fields;
  if (state === "X" || state === "x") return NOTHING;
  // A zombie has ended, unless only its first thread has and others still work.
  if (state === "Z" && !(threads > 1)) return NOTHING;
  // `T` after SIGSTOP or Ctrl-Z, `t` under a debugger.
  const isStopped = state === "T" || state === "t";
  return { seen: "running", startTicks, ...(isStopped && { isStopped }) };
}

/** /proc may hide the processes of others, and a hidden process is not a dead one: the kernel is asked directly. */
function lookBySignal(pid: number, signal: (pid: number) => void): Sighting {
  try {
    signal(pid);
    return HIDDEN;
  } catch (error) {
    return errorCode(error) === "ESRCH" ? NOTHING : HIDDEN;
  }
}
