/**
 * The program as V8 compiled it, kept between commands in the user's cache directory. V8 checks by itself that it is
 * of the same V8; the name says of which program. It is code that we run, so it must be ours alone. Everything here is
 * a favour: whatever goes wrong, the program is compiled again.
 *
 * Every command begins with this, before anything compiled is there. So it is one function that calls few others, of
 * Node's as well, since each of them is parsed first. To keep code is rare and lies elsewhere (keep-code.ts).
 */

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import type { Environment } from "./environment.ts";
import { pathIn } from "./path-in.ts";

/** Of which program, and of which version of it. */
export interface KeptProgram {
  readonly name: string;
  readonly digest: string;
}

export interface KeptCode {
  readonly code: Uint8Array;
  /** The commands whose functions are in it, each as its bit; see `bitOf`. */
  readonly commands: number;
}

export const CODE_SUFFIX = ".code";
export const FOR_OTHERS = 0o077;
/** The commands stand behind the code, the lowest byte first. */
export const COMMANDS_BYTES = 4;

/** Null where there is no place to keep anything. */
export function cacheDirectory(env: Environment): string | null {
  const caches = env["XDG_CACHE_HOME"];
  if (caches?.startsWith("/")) return pathIn(caches, "tt");
  const home = env["HOME"];
  return home?.startsWith("/") ? pathIn(home, ".cache/tt") : null;
}

export function keptName({ name, digest }: KeptProgram): string {
  return `${name}-${digest}-${process.version}-${process.arch}${CODE_SUFFIX}`;
}

/** Read into `room` if it is large enough: memory that was used before is there at once. */
export function readKeptCode(directory: string | null, program: KeptProgram, room: Uint8Array): KeptCode | null {
  if (directory === null) return null;
  let file = -1;
  try {
    const uid = process.getuid?.();
    const around = lstatSync(directory);
    if (around.uid !== uid || (around.mode & FOR_OTHERS) !== 0) return null;
    file = openSync(pathIn(directory, keptName(program)), constants.O_RDONLY | constants.O_NOFOLLOW);
    const { mode, size, uid: owner } = fstatSync(file);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG || owner !== uid || (mode & FOR_OTHERS) !== 0) return null;
    const bytes = size <= room.length ? room : new Uint8Array(size);
    const end = size - COMMANDS_BYTES;
    if (end <= 0 || readSync(file, bytes, 0, size, null) !== size) return null;
    let commands = 0;
    for (let at = size - 1; at >= end; at -= 1) commands = (commands << 8) | (bytes[at] ?? 0);
    return { code: new Uint8Array(bytes.buffer, bytes.byteOffset, end), commands };
  } catch {
    // Not there, or not to be read: the program is compiled again, which is all it costs.
    return null;
  } finally {
    if (file >= 0) closeSync(file);
  }
}

/** Two commands may share a bit. The functions of the later one are then not kept, and compiled whenever it runs. */
export function bitOf(command: string): number {
  let sum = 0;
  for (let at = 0; at < command.length; at += 1) sum = (sum * 13 + command.charCodeAt(at)) | 0;
  return 1 << (sum & 31);
}
