/** What the kernel has put down to a process. */
import { existsSync, readdirSync, readFileSync } from "node:fs";

export function hasAccounts(): boolean {
  return existsSync("/proc/self/schedstat") && existsSync("/proc/self/io");
}

/** Processor time of all its threads. The scheduler's own figure: the usual ticks of 10 ms are too coarse here. */
export function cpuNs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks
    .map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]))
    .reduce((total, ns) => total + ns, 0);
}

/** Bytes of files that it made the kernel write. Writes by which its own threads wake each other are no such bytes. */
export function writtenBytes(pid: number): number {
  const accounts = readFileSync(`/proc/${pid}/io`, "utf8");
  return Number(/^write_bytes: (\d+)$/m.exec(accounts)?.[1]);
}
