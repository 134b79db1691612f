/**
 * Keeps a program as V8 compiled it, between commands, in the user's cache directory. The name of a file says for which
 * program and which command it is: each command has a file with its own functions, because loading those of others takes
 * time. V8 accepts only code from the same source, of its own version and under its own flags, so the name tells these
 * apart, too: what several builds, releases of Node or flags keep lies side by side. We run this code, so only its user may
 * be able to write it. The cache is optional: if a file is missing, incomplete or not safe, the program is compiled
 * again. V8 does not check the content any further, so a file gets its name only when it is completely on the disk.
 *
 * Every command begins with this file, before any compiled code is loaded. So it is one function that calls few others,
 * even of Node's, because each of them must be parsed first. Writing the cache is rare and has its own file
 * (keep-code.ts).
 */

import { closeSync, constants, fstatSync, futimesSync, lstatSync, openSync, readSync } from "node:fs";
import { pathIn } from "../files/path-in.ts";
import type { Environment } from "../settings/environment.ts";

/** A program, and which version of it. */
export interface KeptProgram {
  readonly name: string;
  readonly digest: string;
}

export const FOR_OTHERS = 0o077;
/** A file's modification time says when the file was last used, to within this time. So most commands write nothing. */
const MARKED_EVERY_MS = 3_600_000;

/** Null if there is no directory for a cache. */
export function cacheDirectory(env: Environment): string | null {
  const caches = env["XDG_CACHE_HOME"];
  if (caches?.startsWith("/")) return pathIn(caches, "tt");
  const home = env["HOME"];
  return home?.startsWith("/") ? pathIn(home, ".cache/tt") : null;
}

/** The program and its command come first, then what V8 compares. */
export function keptName({ name, digest }: KeptProgram, command: string, flags = flagsMark()): string {
  return `${name}-${command}.${digest}-${process.version}-${process.arch}${flags}.code`;
}

/**
 * Stands for the flags that this Node was given; empty without any. V8 could say whether two sets of flags differ for it
 * (`v8.cachedDataVersionTag`), but to load that module takes a millisecond.
 */
function flagsMark(): string {
  const { env, execArgv } = process;
  const given = env["NODE_OPTIONS"] ? [env["NODE_OPTIONS"], ...execArgv] : execArgv;
  if (given.length === 0) return "";
  // FNV-1a: to load a real digest takes time as well, and V8 checks what it is given.
  let mark = 0x811c9dc5;
  for (const unit of given.join(" ")) mark = Math.imul(mark ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  return `-${(mark >>> 0).toString(36)}`;
}

/** Reads into `room` if it is large enough, because memory that was used before is faster than new memory. */
export function readKeptCode(directory: string | null, name: string, room: Uint8Array): Uint8Array | null {
  if (directory === null) return null;
  let file = -1;
  try {
    const uid = process.getuid?.();
    const around = lstatSync(directory);
    if (around.uid !== uid || (around.mode & FOR_OTHERS) !== 0) return null;
    // If a pipe is in its place, opening it must not block.
    file = openSync(pathIn(directory, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { mode, size, uid: owner, mtimeMs } = fstatSync(file);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG || owner !== uid || (mode & FOR_OTHERS) !== 0) return null;
    const bytes = size <= room.length ? room : new Uint8Array(size);
    if (size === 0 || readSync(file, bytes, 0, size, null) !== size) return null;
    if (Date.now() - mtimeMs > MARKED_EVERY_MS) markUsed(file);
    return new Uint8Array(bytes.buffer, bytes.byteOffset, size);
  } catch {
    // Missing or unreadable: the program is compiled again, which only takes a little longer.
    return null;
  } finally {
    if (file >= 0) closeSync(file);
  }
}

/** What was not used for the longest time is removed first. */
function markUsed(file: number): void {
  try {
    const nowS = Date.now() / 1000;
    futimesSync(file, nowS, nowS);
  } catch {
    // In a sandbox nothing can be written there. It can be read.
  }
}
