/** Processor time of whole families of processes, from the kernel's accounts. Ended children count with their parents. */
import { readdirSync, readFileSync } from "node:fs";

interface Entry {
  readonly parent: number;
  /** Of itself, and of its ended children that it has waited for; in ticks. */
  readonly own: number;
  readonly ended: number;
}

const TICKS_A_SECOND = 100;

export class ProcessTable {
  readonly #entries = new Map<number, Entry>();

  static read(): ProcessTable {
    const table = new ProcessTable();
    for (const name of readdirSync("/proc")) {
      if (/^\d+$/.test(name)) table.#add(Number(name));
    }
    return table;
  }

  parentOf(pid: number): number {
    return this.#entries.get(pid)?.parent ?? 0;
  }

  /** In seconds: a process and all below it, except for some families. */
  familySeconds(pid: number, except: readonly number[] = []): number {
    return this.#ticksOf(pid, new Set(except)) / TICKS_A_SECOND;
  }

  /** What the ended children of a process took, in seconds. */
  endedSeconds(pid: number): number {
    return (this.#entries.get(pid)?.ended ?? 0) / TICKS_A_SECOND;
  }

  childrenOf(pid: number): readonly number[] {
    return [...this.#entries].filter(([, { parent }]) => parent === pid).map(([child]) => child);
  }

  membersOf(pid: number): readonly number[] {
    return [pid, ...this.childrenOf(pid).flatMap((child) => this.membersOf(child))];
  }

  #ticksOf(pid: number, except: ReadonlySet<number>): number {
    const entry = this.#entries.get(pid);
    if (entry === undefined || except.has(pid)) return 0;
    return this.childrenOf(pid).reduce((sum, child) => sum + this.#ticksOf(child, except), entry.own + entry.ended);
  }

  #add(pid: number): void {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The name, in parentheses, may hold anything.
      const fields = stat
        .slice(stat.lastIndexOf(")") + 2)
        .split(" ")
        .map(Number);
      const sumOf = (first: number) => (fields[first] ?? 0) + (fields[first + 1] ?? 0);
      this.#entries.set(pid, { parent: fields[1] ?? 0, own: sumOf(11), ended: sumOf(13) });
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Memory that is a process's own, and its part of what it shares. */
export function ownBytes(pid: number): number {
  try {
    const [, kilobytes = "0"] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}
