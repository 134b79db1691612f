/**
 * The text of a file of /proc. Such a file is written by the kernel at the moment it is read, is never a pipe or a
 * device, and nearly always fits into one small read, so all that care about files of others is left out.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { readTextOrNull } from "./bounded-read.ts";

const buffer = Buffer.allocUnsafeSlow(4096);

/** Null when it cannot be had for any reason, or is longer than that. */
export function readProcText(path: string, maxBytes: number): string | null {
  try {
    const file = openSync(path, "r");
    try {
      const length = readSync(file, buffer, 0, buffer.length, 0);
      if (length < buffer.length) return length > maxBytes ? null : buffer.toString("utf8", 0, length);
    } finally {
      closeSync(file);
    }
    return readTextOrNull(path, maxBytes);
  } catch {
    // The process is gone, or none of our business; the caller asked for "text or nothing".
    return null;
  }
}
