/**
 * The one line of /proc/<pid>/stat. A waiter reads the same few again and again, so their files stay open: that takes a
 * third of the time. An open file belongs to its process, and not to a later process with the same number. Once the
 * process is gone, reading fails, and the number is opened again.
 */

import { closeSync, openSync, readSync } from "node:fs";
import { pathIn } from "../files/path-in.ts";

const MOST_OPEN = 64;

/** One line, shorter than this. It is read for every waiter, so without what a file of unknown length would need. */
const line = Buffer.alloc(4096);

export class KeptStats {
  readonly #procRoot: string;
  readonly #open = new Map<number, number>();

  constructor(procRoot: string) {
    this.#procRoot = procRoot;
  }

  /** Throws as opening and reading do. */
  read(pid: number): string {
    const known = this.#open.get(pid);
    if (known !== undefined) {
      try {
        return textOf(known);
      } catch {
        // It has ended. Its number may be another's by now.
        this.#forget(pid, known);
      }
    }
    const file = openSync(pathIn(this.#procRoot, `${pid}/stat`), "r");
    try {
      const text = textOf(file);
      this.#keep(pid, file);
      return text;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  #keep(pid: number, file: number): void {
    const [oldest] = this.#open;
    if (oldest && this.#open.size >= MOST_OPEN) this.#forget(...oldest);
    this.#open.set(pid, file);
  }

  #forget(pid: number, file: number): void {
    this.#open.delete(pid);
    closeSync(file);
  }
}

function textOf(file: number): string {
  return line.toString("latin1", 0, readSync(file, line, 0, line.length, 0));
}
