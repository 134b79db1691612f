/**
 * Milliseconds since boot by /proc/uptime. The file is asked several times in every call, so it stays open: a
 * read from its start is always fresh and takes a quarter of the time that opening it again would.
 */

import { openSync, readSync } from "node:fs";
import { pathIn } from "../files/path-in.ts";

/** By the root of /proc; null where there is no such file, which does not change under a living process. */
const opened = new Map<string, number | null>();
const buffer = Buffer.alloc(256);

/** Null where there is no /proc/uptime. */
export function procUptimeMs(procRoot = "/proc"): number | null {
  const descriptor = opened.get(procRoot) ?? openOnce(procRoot);
  if (descriptor === null) return null;
  try {
    const length = readSync(descriptor, buffer, 0, buffer.length, 0);
    return parseUptimeMs(buffer.toString("latin1", 0, length));
  } catch {
    // What cannot be read tells no time, as if it were not there.
    return null;
  }
}

/** The first word of /proc/uptime's format, as whole milliseconds. */
export function parseUptimeMs(text: string): number | null {
  const seconds = /^(\d{1,11}(?:\.\d{1,9})?)(?:\s|$)/.exec(text)?.[1];
  return seconds === undefined ? null : Math.round(Number(seconds) * 1000);
}

function openOnce(procRoot: string): number | null {
  if (opened.has(procRoot)) return null;
  const descriptor = openOrNull(pathIn(procRoot, "uptime"));
  opened.set(procRoot, descriptor);
  return descriptor;
}

function openOrNull(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch {
    // Not every system has this file.
    return null;
  }
}
