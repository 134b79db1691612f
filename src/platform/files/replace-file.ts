/**
 * Replaces a file by a new one that was written beside it. So a reader sees the old text or the new one, never a part.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { createRandomness } from "../clock/randomness.ts";
import { listNames } from "./list-names.ts";

/** Comes between the name of a file and an id. A killed process may leave such a file behind. */
const NEW = ".tt-new-";
const ID_LENGTH = 25;
const LONGEST_NAME = 255;

/** What a new file is called after: the name of the file that it replaces, or the start of a long one. */
function stem(name: string): string {
  return Buffer.byteLength(name) + NEW.length + ID_LENGTH > LONGEST_NAME ? name.slice(0, LONGEST_NAME / 5) : name;
}

export interface ReplaceOptions {
  /** Whether the text must be on the disk before it replaces the old one. */
  readonly durable?: boolean;
}

/** Throws the operating system's error; then nothing has changed. */
export function replaceFile(path: string, content: string | Uint8Array, mode: number, options?: ReplaceOptions): void {
  const beside = `${dirname(path)}/${stem(basename(path))}${NEW}${createRandomness().id()}`;
  try {
    writeNew(beside, [typeof content === "string" ? Buffer.from(content) : content], mode, options);
    renameSync(beside, path);
  } catch (error) {
    removeQuietly(beside);
    throw error;
  }
}

/** Checks an open file before it is written. */
type Check = (stats: Stats, file: number) => void;

/**
 * Writes into an existing file, or creates it. A planted link is not followed. Throws the operating system's error, or
 * what `check` throws.
 */
export function writeInPlace(path: string, text: string, more = 0, check?: Check): void {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants;
  const file = openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW | more, 0o600);
  try {
    check?.(fstatSync(file), file);
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
}

/**
 * Removes files that killed processes have left in a directory, for one file name or for all. No process may be writing
 * there now.
 */
export function sweep(directory: string, beside: string | null = null): void {
  const isLeft = (name: string) => {
    const [, before] = new RegExp(`^(.+)${NEW.replaceAll(".", "[.]")}[0-9a-z]{${ID_LENGTH}}$`).exec(name) ?? [];
    return before !== undefined && (beside === null || before === stem(beside));
  };
  for (const name of listNames(directory).filter(isLeft)) removeQuietly(join(directory, name));
}

/** Writes a file that is not there yet, in parts. A planted link is not followed. Throws the operating system's error. */
export function writeNew(
  path: string,
  parts: readonly Uint8Array[],
  mode: number,
  { durable = false }: ReplaceOptions = {},
): void {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    // The umask may have taken away even the owner's rights.
    fchmodSync(file, mode);
    for (const bytes of parts) {
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    }
    if (durable) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** For a file that only takes up space. False when it could not be removed, or was not there. */
export function removeQuietly(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    // It was never created, is gone already, or this process may not remove it.
    return false;
  }
}
