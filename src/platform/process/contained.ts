/**
 * Runs a program of ours with all that it starts, so that nothing of it is left afterwards: in a process group of its
 * own and, where the system allows that, in a network that has nothing but loopback.
 */
import { readTextOrNull } from "../files/bounded-read.ts";
import { listNames } from "../files/list-names.ts";
import type { Environment } from "../settings/environment.ts";
import { findProgram, programIn } from "./find-program.ts";
import { runChild } from "./run-briefly.ts";

export interface ContainedRun {
  readonly args: readonly string[];
  readonly cwd: string;
  /** All that it sees. Its HOME is its own: processes are found by it. */
  readonly env: Environment & { readonly HOME: string };
  readonly limitMs: number;
  readonly interrupted: AbortSignal;
  readonly onLine: (line: string) => void;
}

export type ContainedEnd = "ended" | "overdue" | "interrupted";

/** The words before a command that put it into a network with nothing but loopback; none where that is not possible. */
export async function loopbackOnly(env: Environment): Promise<readonly string[]> {
  const unshare = findProgram(env, "unshare");
  const ip = findProgram(env, "ip") ?? programIn(["/usr/sbin", "/sbin"], "ip");
  if (unshare === null || ip === null) return [];
  const words = ["-rn", "/bin/sh", "-c", '"$0" link set lo up && exec "$@"', ip];
  const args = [...words, process.execPath, "-e", "0"];
  const probe = { program: unshare, args, cwd: "/", env, timeoutMs: PROBE_MS, maxBytes: 1 };
  const answer = await runChild(probe).answer;
  return answer.ended === "exit" && answer.code === 0 ? [unshare, ...words] : [];
}

const PROBE_MS = 5000;

/** `before`: from `loopbackOnly`. Resolves when everything has ended that was started on behalf of that home. */
export async function runContained(before: readonly string[], run: ContainedRun): Promise<ContainedEnd> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const { createInterface } = process.getBuiltinModule("node:readline");
  const [program = "", ...args] = [...before, process.execPath, ...run.args];
  // It ends itself when its input ends, which happens even if this process is killed.
  const stdio = ["pipe", "pipe", "ignore"] as const;
  const child = spawn(program, args, { cwd: run.cwd, env: { ...run.env }, stdio: [...stdio], detached: true });
  const endAll = () => {
    if (child.pid !== undefined) kill(-child.pid);
    endProcessesOf(run.env.HOME);
  };
  process.prependOnceListener("exit", endAll);
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<ContainedEnd>((resolve) => {
      timer = setTimeout(() => resolve("overdue"), run.limitMs);
      if (run.interrupted.aborted) resolve("interrupted");
      run.interrupted.addEventListener("abort", () => resolve("interrupted"));
      createInterface({ input: child.stdout }).on("line", run.onLine);
      child.stdin.on("error", () => undefined);
      child.once("error", () => resolve("ended"));
      child.once("close", () => resolve("ended"));
    });
  } finally {
    clearTimeout(timer);
    endAll();
    process.off("exit", endAll);
  }
}

/** Ends the process group of this process, and this process with it. */
export function endOwnGroup(): void {
  kill(0);
}

/**
 * Harnesses start daemons in sessions of their own, but none takes the home directory away. Looks again until nothing is
 * left, because what ends may start something. Without /proc only the process group is ended.
 */
function endProcessesOf(home: string): void {
  const isTheirs = (pid: string) =>
    (readTextOrNull(`/proc/${pid}/environ`, MOST_ENVIRONMENT) ?? "").split("\0").includes(`HOME=${home}`);
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
    const left = listNames("/proc").filter((name) => /^\d+$/.test(name) && isTheirs(name));
    if (left.length === 0) return;
    for (const pid of left) kill(Number(pid));
  }
}

const MOST_ENVIRONMENT = 1024 * 1024;
/** A process that was killed may be seen for some moments more. */
const MOST_ROUNDS = 100;

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
