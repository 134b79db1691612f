/**
 * Small files that are ours alone, replaced whole: a reader sees the old text or the new one, never a part. A file that
 * others could have read or written is refused: it may hold a lease, or say which session a caller is.
 */
import { type Stats, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { storePathFault } from "../settings/store-path-fault.ts";
import { readFileOrNull } from "./bounded-read.ts";
import { assertPrivateFile, ensurePrivateDirectory, takingAway } from "./private-path.ts";
import { replaceFile } from "./replace-file.ts";
import { isMissing } from "./system-error.ts";

const MAX_BYTES = 65_536;

/** The text of a file, or null when there is none that can be read. A link is not followed. */
export function readPrivateText(path: string): string | null {
  const file = readFileOrNull(path, MAX_BYTES, { followLinks: false });
  if (file === null) return null;
  assertOurs(path, file.stats);
  return file.bytes.toString("utf8");
}

/** Of a file that is open: what its name stands for meanwhile does not matter. */
export function assertOurs(path: string, stats: Stats): void {
  let directory = dirname(path);
  // A long name is cut into directories.
  while (directory.endsWith("+")) directory = dirname(directory);
  assertPrivateFile(path, stats, process.getuid?.() ?? -1, takingAway(directory));
}

/** The document in a file, or null when there is none that can be read. A link is not followed. */
export function readPrivateJson(path: string): unknown {
  const text = readPrivateText(path);
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    // We did not write it: treat it as missing; the next write replaces it.
    return null;
  }
}

/** Writes `<path>` by way of a file beside it. Directories below `root`, itself included, are made as needed. */
export function writePrivateJson(root: string, path: string, document: object): void {
  writePrivateText(root, path, `${JSON.stringify(document)}\n`);
}

/** The same for any text. */
export function writePrivateText(root: string, path: string, text: string): void {
  makeDirectories(root, dirname(path));
  try {
    replaceFile(path, text, 0o600);
  } catch (error) {
    throw storePathFault(path, error);
  }
}

export function removePrivateFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isMissing(error)) throw storePathFault(path, error);
  }
}

function makeDirectories(root: string, directory: string): void {
  if (directory !== root && directory.startsWith(`${root}/`)) makeDirectories(root, dirname(directory));
  ensurePrivateDirectory(directory);
}
