/** What a process looks like from outside: whose child it is, what it runs, which terminal session it belongs to. */
import type { ProcessSight } from "../../core/harness.ts";
import type { ProcessRef } from "../../core/process.ts";
import { askProgram } from "./ask-program.ts";
import { readProcLink, readProcText, STAT_LENGTH, statFields } from "./proc-text.ts";

export interface SeenProcess {
  readonly sight: ProcessSight;
  readonly parentPid: number;
}

export interface ProcessSights {
  /** Whether the process numbers are the machine's own and not those of a container or sandbox. */
  readonly wholeMachine: boolean;
  look(pid: number): SeenProcess | null;
  /** The pid that leads the process's terminal session; null when the machine will not tell. */
  leaderPidOf(pid: number): number | null;
}

/** Long command lines are cut: the program stands at the beginning. */
const COMMAND_LENGTH = 65_536;
/** The number that Linux gives the first pid namespace of every machine. */
const FIRST_NAMESPACE = "pid:[4026531836]";

/** `self` is this very process: what it sees lives on the same machine, in the same boot and namespace. */
export function createProcessSights(self: ProcessRef, procRoot = "/proc"): ProcessSights {
  return process.platform === "linux" ? procfsSights(self, procRoot) : psSights(self);
}

function procfsSights(self: ProcessRef, procRoot: string): ProcessSights {
  const showsOurNumbers = readProcLink(`${procRoot}/self`) === String(self.pid);
  const statOf = (pid: number) => {
    const stat = showsOurNumbers ? readProcText(`${procRoot}/${pid}/stat`, STAT_LENGTH) : null;
    return stat === null ? null : statFields(stat);
  };
  return {
    wholeMachine: showsOurNumbers && self.pidNamespace === FIRST_NAMESPACE,
    look(pid) {
      const fields = statOf(pid);
      if (!fields) return null;
      const { name, startTicks, parentPid } = fields;
      const command = readProcText(`${procRoot}/${pid}/cmdline`, Number.POSITIVE_INFINITY) ?? "";
      const argv = argvIn(command.slice(0, COMMAND_LENGTH));
      const executable = readProcLink(`${procRoot}/${pid}/exe`);
      return { sight: { ref: { ...self, pid, startTicks }, name, executable, argv }, parentPid };
    },
    leaderPidOf(pid) {
      const leaderPid = statOf(pid)?.leaderPid ?? 0;
      return leaderPid > 0 ? leaderPid : null;
    },
  };
}

/** Every argument ends with a NUL; some programs pad theirs with more. */
function argvIn(command: string): readonly string[] {
  let end = command.length;
  while (end > 0 && command.charCodeAt(end - 1) === 0) end -= 1;
  return command.slice(0, end).split("\0");
}

/** Machines without /proc list everything once. */
function psSights(self: ProcessRef): ProcessSights {
  let list: ReadonlyMap<number, SeenProcess> | null = null;
  return {
    wholeMachine: true,
    look(pid) {
      list ??= listed(self);
      return list.get(pid) ?? null;
    },
    leaderPidOf: () => null,
  };
}

function listed(self: ProcessRef): ReadonlyMap<number, SeenProcess> {
  try {
    return seenByPs(askProgram("ps", ["-axo", "pid=,ppid=,lstart=,command="]), self);
  } catch {
    // A sandbox may forbid ps. Nothing is seen then, and nothing seen proves nothing.
    return new Map();
  }
}

/** "  501     1 Mon Jan  5 09:00:00 2026     /usr/bin/login -f me": two numbers, five words of time, the command. */
function seenByPs(output: string, self: ProcessRef): ReadonlyMap<number, SeenProcess> {
  const seen = new Map<number, SeenProcess>();
  for (const line of output.split("\n")) {
    const [pid, parentPid, ...words] = line.trim().split(/\s+/);
    const argv = words.slice(5);
    const [program = ""] = argv;
    if (pid === undefined || parentPid === undefined || program === "") continue;
    const ref = { ...self, pid: Number(pid), startTicks: words.slice(0, 5).join(" ") };
    const name = program.slice(program.lastIndexOf("/") + 1);
    seen.set(ref.pid, {
      sight: { ref, name, executable: null, argv },
      parentPid: Number(parentPid),
    });
  }
  return seen;
}
