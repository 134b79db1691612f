import { existsSync, readdirSync, type Stats, statSync, watch } from "node:fs";

/** The names in a directory, in order; none when it cannot be read. */
export function listNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory).toSorted();
  } catch {
    // Not there, no directory, not ours to read: nothing is found there in any case.
    return [];
  }
}

/**
 * Reports names that appear in a directory, without polling. False when the directory cannot be watched. The watch keeps
 * no process alive.
 */
export function watchNames(directory: string, onName: (name: string) => void): boolean {
  try {
    const watcher = watch(directory, { persistent: false }, (_, name) => {
      if (name !== null) onName(name);
    });
    // Callers also look at other times.
    watcher.on("error", () => watcher.close());
    return true;
  } catch {
    // It is not there, or there are too many watches.
    return false;
  }
}

/** Of any kind; a dangling link does not count. */
export function isThere(path: string): boolean {
  return existsSync(path);
}

export function isRegularFile(path: string): boolean {
  return statsOrNull(path)?.isFile() === true;
}

export function isDirectory(path: string): boolean {
  return statsOrNull(path)?.isDirectory() === true;
}

/** Null if nothing is there, or if it cannot be reached. Most callers find nothing, so that must not throw: it takes time. */
export function statsOrNull(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    // A parent is a file, a link to itself, or closed to this user.
    return null;
  }
}

/** A socket that this user, and nobody else, has made. */
export function isOwnSocket(path: string): boolean {
  try {
    const stats = statSync(path);
    return stats.isSocket() && stats.uid === process.getuid?.();
  } catch {
    // Nobody listens there any more.
    return false;
  }
}
