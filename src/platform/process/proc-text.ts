/**
 * The text of a file of /proc. Such a file is written by the kernel at the moment it is read, is never a pipe or a
 * device, and is nearly always short, so all that care about files of others is left out. Node reads a whole file as
 * UTF-8 in one call of its own, in less than half the time that opening, reading and closing take.
 */
import { readFileSync } from "node:fs";

/** Null when it cannot be had for any reason, or is longer than that. */
export function readProcText(path: string, mostCharacters: number): string | null {
  try {
    const text = readFileSync(path, "utf8");
    return text.length > mostCharacters ? null : text;
  } catch {
    // The process is gone, or none of our business; the caller asked for "text or nothing".
    return null;
  }
}
