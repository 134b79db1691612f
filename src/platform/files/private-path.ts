/**
 * Directories and files that belong to one user alone: created so under any umask, and checked before use.
 * Nothing is repaired silently, because loose permissions mean that another user may already have had access.
 */
import { chmodSync, closeSync, constants, lstatSync, mkdirSync, openSync, type Stats } from "node:fs";
import { shellWord } from "../../core/shell-word.ts";
import { storePathFault, unsafePath } from "../settings/store-path-fault.ts";
import { errorCode } from "./system-error.ts";

const OTHERS = 0o077;

/** Null when nothing is there. Symlinks are not followed: they are what is there. */
export function lookAt(path: string): Stats | null {
  try {
    // An error would have to be made first, and most commands look for files that are not there.
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    throw storePathFault(path, error);
  }
}

/**
 * Makes a directory of mode 0700, if there is none. It must not be made elsewhere and renamed to its place:
 * that would replace the empty one of another process under its hands. What is there then, if anything is.
 */
export function makePrivateDirectory(path: string): Stats | null {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw storePathFault(path, error);
  }
  const stats = lookAt(path);
  if (stats?.isDirectory()) finishPrivateDirectory(path, stats);
  return stats;
}

/** Makes a directory, if there is none, and makes sure that it is ours alone. */
export function ensurePrivateDirectory(path: string, uid = process.getuid?.() ?? -1): void {
  const stats = lookAt(path) ?? makePrivateDirectory(path);
  if (stats === null) return;
  assertPrivateDirectory(path, stats, uid);
  finishPrivateDirectory(path, stats);
}

/** Makes an empty file, if there is none; finishPrivateFile completes its mode. A planted link is not followed. */
export function makePrivateFile(path: string): void {
  try {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    closeSync(openSync(path, flags, 0o600));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw storePathFault(path, error);
  }
}

/** Devices such as /dev/null have their place; everything else can be put elsewhere. */
function clearAway(path: string, stats: Stats): string {
  return stats.isCharacterDevice() || stats.isBlockDevice()
    ? "Choose a directory for the data alone, with TT_DATA_DIR."
    : `Move it away: mv ${shellWord(path)} ${shellWord(`${path}.old`)}`;
}

export function assertPrivateDirectory(path: string, stats: Stats, uid: number): void {
  if (stats.isSymbolicLink()) {
    throw unsafePath(
      path,
      "is a symlink",
      `Remove the link, or name its target with TT_DATA_DIR: ls -ld ${shellWord(path)}`,
    );
  }
  if (!stats.isDirectory()) throw unsafePath(path, "is not a directory", clearAway(path, stats));
  assertOwner(path, stats, uid);
  if ((stats.mode & OTHERS) !== 0) {
    throw unsafePath(path, `can be used by other users (mode ${octal(stats)})`, `Run: chmod 700 ${shellWord(path)}`);
  }
}

/** `repair` takes from others what they may do. */
export function assertPrivateFile(
  path: string,
  stats: Stats,
  uid: number,
  repair = `chmod 600 ${shellWord(path)}`,
): void {
  if (stats.isSymbolicLink()) throw unsafePath(path, "is a symlink", `Remove the link: rm ${shellWord(path)}`);
  if (!stats.isFile()) throw unsafePath(path, "is not a regular file", clearAway(path, stats));
  assertOwner(path, stats, uid);
  if ((stats.mode & OTHERS) !== 0) {
    throw unsafePath(path, `can be used by other users (mode ${octal(stats)})`, `Run: ${repair}`);
  }
  if (stats.nlink > 1) {
    throw unsafePath(
      path,
      `has ${stats.nlink} names (hard links)`,
      `Keep one: cp ${shellWord(path)} ${shellWord(`${path}.new`)} && mv ${shellWord(`${path}.new`)} ${shellWord(path)}`,
    );
  }
}

/** The command that takes from others what they may do with a directory and all that is in it. */
export function takingAway(directory: string): string {
  return `chmod -R go= ${shellWord(directory)}`;
}

/** Gives the owner what a strict umask took from a file that we, or another process just now, have made. */
export function finishPrivateFile(path: string, stats: Stats): void {
  if (stats.size > 0 || (stats.mode & 0o600) === 0o600) return;
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    throw storePathFault(path, error);
  }
}

/** A directory that was just made, by us or another process, under a umask that takes away even the owner's rights. */
function finishPrivateDirectory(path: string, stats: Stats): void {
  if ((stats.mode & 0o700) === 0o700) return;
  try {
    chmodSync(path, 0o700);
  } catch (error) {
    throw storePathFault(path, error);
  }
}

function assertOwner(path: string, stats: Stats, uid: number): void {
  if (stats.uid === uid) return;
  throw unsafePath(
    path,
    `belongs to user id ${stats.uid} and not to you (${uid})`,
    `Work as that user, set TT_DATA_DIR to a directory of your own, or take it over: sudo chown -R ${uid} ${shellWord(path)}`,
  );
}

function octal(stats: Stats): string {
  return `0${(stats.mode & 0o777).toString(8)}`;
}
