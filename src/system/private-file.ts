/** Small files that are ours alone, replaced whole: a reader sees the old text or the new one, never a part. */
import { closeSync, constants, fchmodSync, openSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { readTextOrNull } from "./bounded-read.ts";
import { assertPrivateDirectory, lookAt, makePrivateDirectory } from "./private-path.ts";
import { createRandomness } from "./randomness.ts";
import { storePathFault } from "./store-path-fault.ts";
import { isMissing } from "./system-error.ts";

const MAX_BYTES = 65_536;

/** The document in a file, or null when there is none that can be read. A link is not followed. */
export function readPrivateJson(path: string): unknown {
  const text = readTextOrNull(path, MAX_BYTES, { followLinks: false });
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    // Not our writing; it is as good as no file, and the next write replaces it.
    return null;
  }
}

/** Writes `<path>` by way of a file beside it. Directories below `root`, itself included, are made as needed. */
export function writePrivateJson(root: string, path: string, document: object): void {
  makeDirectories(root, dirname(path));
  const beside = `${path}.${createRandomness().id()}`;
  try {
    writeNew(beside, `${JSON.stringify(document)}\n`);
    renameSync(beside, path);
  } catch (error) {
    removeQuietly(beside);
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
  if (lookAt(directory) === null) makePrivateDirectory(directory);
  const stats = lookAt(directory);
  if (stats !== null) assertPrivateDirectory(directory, stats, process.getuid?.() ?? -1);
}

function writeNew(path: string, text: string): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    // The umask may have taken away even the owner's rights.
    fchmodSync(file, 0o600);
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never made, or cannot be removed for the reason that is being reported already.
  }
}
