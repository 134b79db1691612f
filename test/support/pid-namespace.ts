/** A pid namespace of the test's own, in which the test chooses the pids. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";

const UNSHARE = ["unshare", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"] as const;

/** Whether this machine lets us make one and choose pids in it. */
export const canChoosePids =
  process.platform === "linux" &&
  spawnSync(UNSHARE[0], [...UNSHARE.slice(1), "sh", "-c", "echo 70 > /proc/sys/kernel/ns_last_pid"]).status === 0;

export class PidNamespace {
  /** Put before a command, it runs that command inside. */
  readonly enter: readonly string[];

  private constructor(firstPid: number) {
    const flags = ["--user", "--preserve-credentials", "--mount", "--pid"];
    this.enter = ["nsenter", "--target", String(firstPid), ...flags, "--"];
  }

  /** Lives until the test is over; so does everything inside. */
  static async open(): Promise<PidNamespace> {
    const [program, ...flags] = UNSHARE;
    // Its first process says who it is, as the rest of the machine sees it, and then only waits.
    const keeper = spawn(program, [...flags, "sh", "-c", "echo ready; exec sleep infinity"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(async () => {
      keeper.kill("SIGKILL");
      await once(keeper, "close");
    });
    await once(keeper.stdout, "data");
    return new PidNamespace(childOf(keeper));
  }

  /** Ends the process of that pid inside. */
  kill(pid: number): void {
    this.#run(`kill -9 ${pid}`);
  }

  isFree(pid: number): boolean {
    return this.#run(`test -e /proc/${pid} || echo free`) === "free";
  }

  /** Starts something else under that very pid. Says which pid it got. */
  reuse(pid: number): number {
    return Number(this.#run(`echo ${pid - 1} > /proc/sys/kernel/ns_last_pid; sleep infinity >&- 2>&- & echo $!`));
  }

  #run(script: string): string {
    const [program = "", ...flags] = this.enter;
    const { stdout, stderr, status } = spawnSync(program, [...flags, "sh", "-c", script], { encoding: "utf8" });
    if (status !== 0) throw new Error(`${script}: ${stderr}`);
    return stdout.trim();
  }
}

function childOf({ pid }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
}
