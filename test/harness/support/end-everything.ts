import { readdirSync, readFileSync } from "node:fs";

/** Most programs strip the environment of what they start, but none takes the home directory away. */
function processesWithHome(home: string): readonly number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => pid !== process.pid && environmentOf(pid).includes(`HOME=${home}`));
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    // It has ended, or is not ours.
    return [];
  }
}

/**
 * Ends whatever was started on behalf of a home directory, in the foreground or in the background, whoever its parent
 * is by now: harnesses leave daemons behind. Looks again until nothing is left, because what ends may start something.
 */
export function endEverything(home: string): void {
  for (let pids = processesWithHome(home); pids.length > 0; pids = processesWithHome(home)) {
    for (const pid of pids) end(pid);
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
