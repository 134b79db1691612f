/**
 * Edits files of other programs: links are followed, permissions stay, a file is replaced whole, and a concurrent
 * change is never overwritten. What cannot be replaced that way is refused before anything is touched.
 */
import { accessSync, constants, lstatSync, realpathSync, unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isRefusal, type Refusal, refuse } from "../../core/refusal.ts";
import { shellWord } from "../../core/shell-word.ts";
import type { ConfigFiles, FileWrite, FoundFile } from "../../engine/ports/config-files.ts";
import { type BoundedFile, readRegularFile } from "./bounded-read.ts";
import { openInstallRecords } from "./install-records.ts";
import { makeDirectories, missingAbove, removeDirectories } from "./made-directories.ts";
import { realPlaceOf } from "./real-place.ts";
import { replaceFile, sweep } from "./replace-file.ts";
import { errorCode } from "./system-error.ts";

/** A harness may keep the prompts of all projects in one of them. */
const MAX_BYTES = 256 * 1024 * 1024;

export function openConfigFiles(stateDirectory: string): ConfigFiles {
  return {
    look,
    write: replaceOrRemove,
    sweep: (path) => sweep(dirname(path), basename(path)),
    missingAbove,
    makeDirectories,
    removeDirectories,
    ...openInstallRecords(stateDirectory),
  };
}

function look(path: string): FoundFile | Refusal {
  try {
    if (!isThere(path)) return missing(path);
    const target = realpathSync.native(path);
    const file = readRegularFile(target, MAX_BYTES);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(file.bytes);
    const executable = (file.stats.mode & 0o100) !== 0;
    return { target, text, executable, locked: lockOn(path, target, file) };
  } catch (error) {
    return unusable(path, error);
  }
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    // A path below a file, or with too long a name, does not exist either.
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(errorCode(error))) return false;
    throw error;
  }
}

/** The nearest existing directory above must be writable. */
function missing(path: string): FoundFile {
  const { above, path: target } = realPlaceOf(path);
  return { target, text: null, executable: false, locked: lockOnDirectory(path, above) };
}

/** Permissions count even for root, who could write anyway: a person removed them on purpose. */
function lockOn(path: string, target: string, { stats }: BoundedFile): Refusal | null {
  const word = shellWord(path);
  if ((stats.mode & 0o200) === 0) {
    return refused(path, "is read-only", `If that is not on purpose: chmod u+w ${word}; then run it again.`, "EACCES");
  }
  const uid = process.getuid?.() ?? stats.uid;
  if (stats.uid !== uid) {
    return refused(path, `belongs to user id ${stats.uid}`, "Run it as that user, without sudo.", "EPERM");
  }
  if (stats.nlink > 1) {
    const copy = shellWord(`${path}.new`);
    const next = `Keep one of them: cp ${word} ${copy} && mv ${copy} ${word}; then run it again.`;
    return refused(path, `has ${stats.nlink} names (hard links)`, next, "EMLINK");
  }
  return lockOnDirectory(path, dirname(target));
}

function lockOnDirectory(path: string, directory: string): Refusal | null {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const next = `Make ${shellWord(directory)} a directory that you may write in, then run it again.`;
    return refused(path, `cannot be written (${errorCode(error)})`, next, errorCode(error));
  }
}

function replaceOrRemove({ target, before, after, executable }: FileWrite): Refusal | null {
  const now = look(target);
  if (isRefusal(now)) return now;
  if (now.locked) return now.locked;
  if (now.text !== before) {
    return refused(target, "was changed by another program just now", "Run it again.", "EAGAIN");
  }
  try {
    if (after === null) unlinkSync(target);
    else replaceFile(target, after, modeFor(target, before, executable), { durable: true });
    return null;
  } catch (error) {
    return unusable(target, error);
  }
}

function modeFor(target: string, before: string | null, executable: boolean): number {
  if (executable) return 0o700;
  return before === null ? 0o600 : lstatSync(target).mode & 0o7777;
}

function refused(path: string, problem: string, next: string, cause: string): Refusal {
  return refuse("invalid_path", `${path} ${problem}.`, next, { path, cause });
}

function unusable(path: string, error: unknown): Refusal {
  const code = errorCode(error);
  if (error instanceof TypeError)
    return refused(path, "is not a text in UTF-8", "Correct it, then run it again.", code);
  if (code === "") throw error;
  if (code === "ENOENT") {
    return isLink(path)
      ? refused(path, "is a link that leads nowhere", `Remove it: rm ${shellWord(path)}; then run it again.`, code)
      : refused(path, "was removed by another program just now", "Run it again.", code);
  }
  const next = `Make ${shellWord(basename(path))} a file that you may read and write, then run it again.`;
  return refused(path, `cannot be used (${code})`, next, code);
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
