/**
 * Directories and files that only their user may access. They are created with these permissions under any umask, and
 * checked before use. Nothing is repaired silently, because loose permissions mean that another user may already have
 * had access.
 */
import { chmodSync, closeSync, constants, lstatSync, mkdirSync, openSync, type Stats } from "node:fs";
import { ELSEWHERE_NEXT, type Fault } from "../../core/fault.ts";
import { shellWord } from "../../core/shell-word.ts";
import { removingLink, storePathFault, unsafePath } from "../settings/store-path-fault.ts";
import { errorCode } from "./system-error.ts";

const OTHERS = 0o077;

/** Null if nothing is there. A symlink is not followed: the answer is about the symlink itself. */
export function lookAt(path: string): Stats | null {
  try {
    // Creating an error takes time, and most commands look for files that do not exist.
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    throw storePathFault(path, error);
  }
}

/**
 * Creates a directory of mode 0700, if there is none. It must not be created elsewhere and renamed to its place: that
 * would replace an empty directory that another process is using. Returns what is there then, or null.
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

/** Creates a directory, if there is none, and checks that only its user may access it. */
export function ensurePrivateDirectory(path: string, uid = process.getuid?.() ?? -1): void {
  const stats = lookAt(path) ?? makePrivateDirectory(path);
  if (stats === null) return;
  assertPrivateDirectory(path, stats, uid);
  finishPrivateDirectory(path, stats);
}

/** Creates an empty file, if there is none; finishPrivateFile completes its mode. A planted link is not followed. */
export function makePrivateFile(path: string): void {
  try {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    closeSync(openSync(path, flags, 0o600));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw storePathFault(path, error);
  }
}

/** A device such as /dev/null must stay where it is. Everything else can be moved away. */
function clearAway(path: string, stats: Stats): string {
  return stats.isCharacterDevice() || stats.isBlockDevice()
    ? ELSEWHERE_NEXT
    : `Move it away: mv ${shellWord(path)} ${shellWord(`${path}.old`)}`;
}

export function assertPrivateDirectory(path: string, stats: Stats, uid: number): void {
  if (stats.isSymbolicLink()) {
    throw unsafePath(
      path,
      "is a symlink",
      `Set TT_DATA_DIR to its target, then run tt install. ${removingLink(path, "Or see")}`,
    );
  }
  if (!stats.isDirectory()) throw unsafePath(path, "is not a directory", clearAway(path, stats));
  assertOwner(path, stats, uid);
  if ((stats.mode & OTHERS) !== 0) throw openToOthers(path, stats, `chmod 700 ${shellWord(path)}`);
}

/** `repair` is the command that takes away other users' permissions. */
export function assertPrivateFile(
  path: string,
  stats: Stats,
  uid: number,
  repair = `chmod 600 ${shellWord(path)}`,
): void {
  if (stats.isSymbolicLink()) throw unsafePath(path, "is a symlink", removingLink(path));
  if (!stats.isFile()) throw unsafePath(path, "is not a regular file", clearAway(path, stats));
  assertOwner(path, stats, uid);
  if ((stats.mode & OTHERS) !== 0) throw openToOthers(path, stats, repair);
  if (stats.nlink > 1) {
    throw unsafePath(
      path,
      `has ${stats.nlink} names (hard links)`,
      `Keep one: cp ${shellWord(path)} ${shellWord(`${path}.new`)} && mv ${shellWord(`${path}.new`)} ${shellWord(path)}`,
    );
  }
}

/** The command that takes away other users' permissions for a directory and everything in it. */
export function takingAway(directory: string): string {
  return `chmod -R go= ${shellWord(directory)}`;
}

/**
 * A strict umask may take away even the owner's permissions. Restores them for a file that was just created, by this or
 * another process.
 */
export function finishPrivateFile(path: string, stats: Stats): void {
  if (stats.size > 0 || (stats.mode & 0o600) === 0o600) return;
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    throw storePathFault(path, error);
  }
}

/** The same for a directory that was just created, by this or another process. */
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
    `Work as that user, set TT_DATA_DIR to a directory of your own and run tt install, or take it over: sudo chown -R ${uid} ${shellWord(path)}`,
  );
}

/** An agent may run this repair, too: it only takes permissions away from other users. */
function openToOthers(path: string, stats: Stats, repair: string): Fault {
  const mode = `0${(stats.mode & 0o777).toString(8)}`;
  return unsafePath(path, `can be used by other users (mode ${mode})`, `Run: ${repair}`, `Run: ${repair}`);
}
