/** Writes what code-cache.ts reads. A bundle of its own: most commands find their code kept already. */
import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { pathIn } from "../files/path-in.ts";
import { removeQuietly, replaceFile } from "../files/replace-file.ts";
import { FOR_OTHERS, type KeptProgram, keptName } from "./code-cache.ts";

/** False when it could not be kept. */
export function keepCode(directory: string, program: KeptProgram, command: string, code: Uint8Array): boolean {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(directory);
    if (uid !== process.getuid?.() || (mode & FOR_OTHERS) !== 0) return false;
    replaceFile(pathIn(directory, keptName(program, command)), code, 0o600, { durable: true });
    removeLeastUsed(directory);
    return true;
  } catch {
    // Not ours, or not writable: the program is compiled again, which is all it costs.
    return false;
  }
}

/** For code that V8 does not accept. */
export function removeCode(directory: string, program: KeptProgram, command: string): void {
  removeQuietly(pathIn(directory, keptName(program, command)));
}

/** How the name of compiled code ends. What a killed process left of a file has more after it. */
const END = ".code";
/** A file has up to a megabyte. Two builds with the commands and hooks of a day need about this much. */
const MOST_BYTES = 32 * 1_048_576;

/** Removes what was not used for the longest time, of all programs and builds, until the rest is small enough. */
function removeLeastUsed(directory: string): void {
  const files = readdirSync(directory)
    .filter((name) => name.includes(END))
    .map((name) => pathIn(directory, name))
    .map((path) => ({ path, stats: lstatSync(path, { throwIfNoEntry: false }) }));
  const usedAt = (file: (typeof files)[number]) => file.stats?.mtimeMs ?? 0;
  let bytes = 0;
  for (const { path, stats } of files.toSorted((one, other) => usedAt(other) - usedAt(one))) {
    bytes += stats?.size ?? 0;
    if (bytes > MOST_BYTES) removeQuietly(path);
  }
}
