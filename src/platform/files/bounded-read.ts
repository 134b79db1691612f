/**
 * Reading files of other programs: never more than a bound, never a pipe that blocks, never a device
 * that does not end.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { codedError } from "./system-error.ts";

/** Most files that are read here are far smaller. */
const FIRST_BYTES = 4096;

export interface BoundedFile {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

export interface ReadOptions {
  /** Whether a symlink as the last part of the path is followed. */
  readonly followLinks?: boolean;
}

/** Throws the operating system's error, or one with the code ENOTREG or EFBIG. */
export function readRegularFile(path: string, maxBytes: number, options: ReadOptions = {}): BoundedFile {
  return withRegularFile(path, options, (file, stats) => {
    const bytes = readUpTo(file, maxBytes + 1, stats.size + 1);
    if (bytes.length > maxBytes) throw codedError("EFBIG", `it has more than ${maxBytes} bytes`);
    return { bytes, stats };
  });
}

function withRegularFile<T>(path: string, options: ReadOptions, read: (file: number, stats: Stats) => T): T {
  const noFollow = options.followLinks === false ? constants.O_NOFOLLOW : 0;
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | noFollow);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw codedError("ENOTREG", "it is not a regular file");
    return read(file, stats);
  } finally {
    closeSync(file);
  }
}

/** Null when there is no file, or a link, a pipe, a device or too much text. */
export function readFileOrNull(path: string, maxBytes: number, options: ReadOptions = {}): BoundedFile | null {
  try {
    return readRegularFile(path, maxBytes, options);
  } catch {
    // The caller asked for "a file or nothing"; why there is nothing does not matter to it.
    return null;
  }
}

/** The text of a small file, or null when it cannot be had for any reason. */
export function readTextOrNull(path: string, maxBytes: number, options: ReadOptions = {}): string | null {
  return readFileOrNull(path, maxBytes, options)?.bytes.toString("utf8") ?? null;
}

/** The first bytes of a file that may be long, as text; null when it cannot be read. */
export function readStartOrNull(path: string, maxBytes: number): string | null {
  try {
    return withRegularFile(path, {}, (file) => readUpTo(file, maxBytes).toString("utf8"));
  } catch {
    // As above: the caller asked for "text or nothing".
    return null;
  }
}

/** The size is only a guess, because files of /proc say 0 and others may grow meanwhile. */
function readUpTo(file: number, limit: number, guess = 0): Buffer {
  let bytes = Buffer.allocUnsafe(Math.min(Math.max(FIRST_BYTES, guess), limit));
  let total = 0;
  while (total < limit) {
    if (total === bytes.length) bytes = Buffer.concat([bytes], Math.min(16 * bytes.length, limit));
    const length = readSync(file, bytes, total, bytes.length - total, null);
    if (length === 0) break;
    total += length;
  }
  return bytes.subarray(0, total);
}
