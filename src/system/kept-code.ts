/**
 * The program as V8 compiled it, kept between commands in the user's cache directory. V8 checks by itself that it is
 * of the same V8; the name says of which program. It is code that we run, so it must be ours alone. Everything here is
 * a favour: whatever goes wrong, the program is compiled again.
 */

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { isAbsolute } from "node:path";
import type { Environment } from "./environment.ts";
import { pathIn } from "./path-in.ts";

export interface KeptCode {
  readonly code: Buffer;
  /** The commands whose functions are in it. */
  readonly commands: readonly string[];
}

export interface KeptCodeFile {
  read(): KeptCode | null;
  write(kept: KeptCode): void;
}

const SUFFIX = ".code";
const OTHERS = 0o077;
/** The list of commands stands behind the code, and its length behind the list. */
const LENGTH_BYTES = 4;

/** Of which program, and of which version of it. */
export interface KeptProgram {
  readonly name: string;
  readonly digest: string;
}

export function openKeptCode(env: Environment, program: KeptProgram): KeptCodeFile {
  const directory = cacheDirectory(env);
  const name = `${program.name}-${program.digest}-${process.version}-${process.arch}${SUFFIX}`;
  return {
    read: () => (directory === null ? null : orNull(() => readOwn(directory, name))),
    write: (kept) => {
      if (directory === null) return;
      orNull(() => {
        writeOwn(directory, name, kept);
        removeOthers(directory, program);
      });
    },
  };
}

function cacheDirectory(env: Environment): string | null {
  const caches = env["XDG_CACHE_HOME"];
  if (caches && isAbsolute(caches)) return pathIn(caches, "tt");
  const home = env["HOME"];
  return home && isAbsolute(home) ? pathIn(home, ".cache/tt") : null;
}

function readOwn(directory: string, name: string): KeptCode | null {
  if (!isOurs(lstatSync(directory))) return null;
  const file = openSync(pathIn(directory, name), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || !isOurs(stats)) return null;
    const bytes = Buffer.allocUnsafeSlow(stats.size);
    if (readSync(file, bytes) !== bytes.length) return null;
    const end = bytes.length - LENGTH_BYTES;
    const start = end - bytes.readUInt32LE(end);
    if (start <= 0) return null;
    const commands = bytes.toString("latin1", start, end).split("\n");
    return { code: bytes.subarray(0, start), commands };
  } finally {
    closeSync(file);
  }
}

function isOurs({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  return uid === process.getuid?.() && (mode & OTHERS) === 0;
}

/** By way of a file beside it, so that nobody reads a part. */
function writeOwn(directory: string, name: string, { code, commands }: KeptCode): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (!isOurs(lstatSync(directory))) return;
  const list = Buffer.from(commands.join("\n"), "latin1");
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(list.length);
  const beside = pathIn(directory, `${process.pid}${SUFFIX}`);
  const file = openSync(
    beside,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    fchmodSync(file, 0o600);
    writeSync(file, Buffer.concat([code, list, length]));
    renameSync(beside, pathIn(directory, name));
  } catch {
    unlinkSync(beside);
  } finally {
    closeSync(file);
  }
}

/** Those of other versions of the program. */
function removeOthers(directory: string, program: KeptProgram): void {
  for (const name of readdirSync(directory)) {
    const isOfIt = name.endsWith(SUFFIX) && name.startsWith(`${program.name}-`);
    if (isOfIt && !name.startsWith(`${program.name}-${program.digest}-`)) unlinkSync(pathIn(directory, name));
  }
}

function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    // Not there, not ours, not writable: the program is compiled again, which is all it costs.
    return null;
  }
}
