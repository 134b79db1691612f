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
    return usualUptimeMs(length) ?? parseUptimeMs(buffer.toString("latin1", 0, length));
  } catch {
    // What cannot be read tells no time, as if it were not there.
    return null;
  }
}

const [ZERO, NINE, POINT, BLANK] = [0x30, 0x39, 0x2e, 0x20] as const;

/** Digits, a point, two digits and a blank, as Linux writes it. Null for anything else, which is read with more care. */
function usualUptimeMs(length: number): number | null {
  let seconds = 0;
  let at = 0;
  for (; at < length && isDigit(at); at += 1) seconds = seconds * 10 + digit(at);
  const isUsual = at > 0 && at <= 11 && buffer[at] === POINT && isDigit(at + 1) && isDigit(at + 2);
  if (!isUsual || at + 3 >= length || buffer[at + 3] !== BLANK) return null;
  return seconds * 1000 + digit(at + 1) * 100 + digit(at + 2) * 10;
}

function isDigit(at: number): boolean {
  const byte = buffer[at] ?? 0;
  return byte >= ZERO && byte <= NINE;
}

function digit(at: number): number {
  return (buffer[at] ?? 0) - ZERO;
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
