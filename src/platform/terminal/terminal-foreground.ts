/** Which terminal a process has, and whether what is typed there goes to it. */
import { readFileSync, statSync } from "node:fs";
import { askProgram } from "../process/ask-program.ts";

export interface Foreground {
  /** The terminal's device number. */
  readonly device: number;
  readonly isForeground: boolean;
}

/** Null when the process has no terminal, or the machine will not tell. */
export function foregroundOf(pid: number): Foreground | null {
  try {
    return process.platform === "linux" ? inProcStat(readFileSync(`/proc/${pid}/stat`, "latin1")) : byPs(pid);
  } catch {
    // No such process, or one that we may not read.
    return null;
  }
}

/** After the name: state, parent, group, session, terminal, and the group that the terminal belongs to now. */
export function inProcStat(stat: string): Foreground | null {
  const [, , group, , device, owner] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (device === undefined || Number(device) === 0) return null;
  return { device: Number(device), isForeground: group === owner };
}

function byPs(pid: number): Foreground | null {
  const [tty = "", state = ""] = askProgram("ps", ["-o", "tty=,stat=", "-p", String(pid)])
    .trim()
    .split(/\s+/);
  if (tty === "" || tty.startsWith("?")) return null;
  return { device: statSync(`/dev/${tty}`).rdev, isForeground: state.includes("+") };
}
