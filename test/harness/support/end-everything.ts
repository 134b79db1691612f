import { readdirSync, readFileSync } from "node:fs";
import { until } from "./until.ts";

/** Most programs strip the environment of what they start, but none takes the home directory away. */
function processesWithHome(home: string): readonly number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => pid !== process.pid && environmentOf(pid).includes(`HOME=${home}`));
}

function environmentOf(pid: number): readonly string[] {
  return textOf(`/proc/${pid}/environ`).split("\0");
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // It has ended, or is not ours.
    return "";
  }
}

/**
 * Ends whatever was started on behalf of a home directory, in the foreground or in the background, whatever its parent
 * is by now: harnesses leave daemons behind. Looks again until nothing is left, because what ends may start something.
 */
export function endEverything(home: string): void {
  for (let pids = processesWithHome(home); pids.length > 0; pids = processesWithHome(home)) {
    for (const pid of pids) end(pid);
  }
}

/**
 * Kills a program in the middle of its work, and returns when all that it had started for a home has ended by itself.
 */
export async function killProgram(home: string, program: readonly string[]): Promise<void> {
  for (const pid of processesWithHome(home).filter((one) => isProgram(one, program))) end(pid);
  await until("what it had started has ended", () => processesWithHome(home).length === 0);
}

/** The words that it was started with begin with those of the program. */
function isProgram(pid: number, program: readonly string[]): boolean {
  const words = textOf(`/proc/${pid}/cmdline`).split("\0");
  return program.every((word, index) => words[index] === word);
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
