/**
 * A program as V8 compiled it, kept between commands in the user's cache directory. V8 checks by itself that it is
 * of the same V8; the name says of which program, and for which command: each command has a file with its own functions,
 * because it takes time to load those of others. It is code that we run, so it must be ours alone. Everything here is a
 * favour: what is not there, not ours or not whole is compiled again. V8 takes the rest at its word, as it takes the
 * program's own text, so a file is on the disk before it has its name.
 *
 * Every command begins with this, before anything compiled is there. So it is one function that calls few others, of
 * Node's as well, since each of them is parsed first. To keep code is rare and lies elsewhere (keep-code.ts).
 */

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { pathIn } from "../files/path-in.ts";
import type { Environment } from "../settings/environment.ts";

/** Of which program, and of which version of it. */
export interface KeptProgram {
  readonly name: string;
  readonly digest: string;
}

export const FOR_OTHERS = 0o077;

/** Null where there is no place to keep anything. */
export function cacheDirectory(env: Environment): string | null {
  const caches = env["XDG_CACHE_HOME"];
  if (caches?.startsWith("/")) return pathIn(caches, "tt");
  const home = env["HOME"];
  return home?.startsWith("/") ? pathIn(home, ".cache/tt") : null;
}

export function keptName({ name, digest }: KeptProgram, command: string): string {
  return `${name}.${command}-${digest}-${process.version}-${process.arch}.code`;
}

/** Read into `room` if it is large enough: memory that was used before is there at once. */
export function readKeptCode(directory: string | null, name: string, room: Uint8Array): Uint8Array | null {
  if (directory === null) return null;
  let file = -1;
  try {
    const uid = process.getuid?.();
    const around = lstatSync(directory);
    if (around.uid !== uid || (around.mode & FOR_OTHERS) !== 0) return null;
    // A pipe in its place is not waited for.
    file = openSync(pathIn(directory, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { mode, size, uid: owner } = fstatSync(file);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG || owner !== uid || (mode & FOR_OTHERS) !== 0) return null;
    const bytes = size <= room.length ? room : new Uint8Array(size);
    if (size === 0 || readSync(file, bytes, 0, size, null) !== size) return null;
    return new Uint8Array(bytes.buffer, bytes.byteOffset, size);
  } catch {
    // Missing or unreadable: the program is compiled again, which is all it costs.
    return null;
  } finally {
    if (file >= 0) closeSync(file);
  }
}
