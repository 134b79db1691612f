/** A `tt` that runs: what it has written so far, a way to wait for more, and how it ended. */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";
  #over = false;
  readonly #watchers = new Set<() => void>();

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
      this.#tell();
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.#tell();
    });
    // A program that does not read its input breaks the pipe, which is no concern of the test.
    child.stdin?.on("error", () => undefined);
    this.ended = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => {
        this.#over = true;
        this.#tell();
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  get isOver(): boolean {
    return this.#over;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Resolves when what was written fulfils the condition; rejects when the process ends without it. */
  until(condition: (written: { stdout: string; stderr: string }) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (condition(this)) done(resolve);
        else if (this.#over) done(() => reject(new Error(`tt ended too early: ${this.stdout}${this.stderr}`)));
      };
      const done = (settle: () => void) => {
        this.#watchers.delete(look);
        settle();
      };
      this.#watchers.add(look);
      look();
    });
  }

  /**
   * Resolves when an interrupt will be taken as a request and no longer as a kill: Node itself catches SIGINT and
   * SIGTERM from the start, but SIGHUP only when the program asks for it.
   */
  async untilInterruptible(): Promise<void> {
    while (!this.#over && !catchesHangup(this.pid)) await setTimeout(5);
    if (this.#over) throw new Error(`tt ended too early: ${this.stdout}${this.stderr}`);
  }

  /** Every whole line of standard output, parsed. */
  get records(): readonly Record<string, unknown>[] {
    return recordsIn(this.stdout.slice(0, this.stdout.lastIndexOf("\n") + 1));
  }

  #tell(): void {
    for (const look of this.#watchers) look();
  }
}

export function recordsIn(text: string): readonly Record<string, unknown>[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function catchesHangup(pid: number): boolean {
  const [, caught = "0"] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(statusOf(pid)) ?? [];
  return (BigInt(`0x${caught}`) & 1n) === 1n;
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    // It has ended, and the caller learns of it.
    return "";
  }
}

/** The events a stream has brought so far, by their place in the log. */
export function seqs({ records }: Running): unknown[] {
  return records.filter((record) => "event_seq" in record).map((record) => record["event_seq"]);
}

export function upTo(last: number, first = 1): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
