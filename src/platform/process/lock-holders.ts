import { readFileSync, statSync } from "node:fs";

/** The byte of SQLite's shared-memory file that a process locks for as long as it writes. */
const WAL_WRITE_LOCK_BYTE = 120;

/** Which processes hold the write lock of a SQLite database in WAL mode, as far as the system shows it. */
export function lockHolders(databaseFile: string, locksFile = "/proc/locks"): number[] {
  try {
    const { dev, ino } = statSync(`${databaseFile}-shm`, { bigint: true });
    return holdersIn(readFileSync(locksFile, "utf8"), `${deviceName(dev)}:${ino}`);
  } catch {
    // No shared memory means no writer; no /proc/locks means that nobody can tell.
    return [];
  }
}

/**
 * Which other processes have a SQLite database in WAL mode open, by the locks that each of them keeps on the index;
 * null where the system does not show it.
 */
export function storeUsers(databaseFile: string, locksFile = "/proc/locks"): number[] | null {
  try {
    const locks = readFileSync(locksFile, "utf8");
    const stats = statSync(`${databaseFile}-shm`, { bigint: true, throwIfNoEntry: false });
    if (!stats) return [];
    const name = `${deviceName(stats.dev)}:${stats.ino}`;
    const pids = locks.split("\n").flatMap((line) => {
      const [, kind, , , pid, inode] = line.trim().split(/\s+/);
      return kind === "POSIX" && inode === name && Number(pid) !== process.pid ? [Number(pid)] : [];
    });
    return [...new Set(pids)];
  } catch {
    // Without /proc/locks nobody can tell.
    return null;
  }
}

/** Whether some process holds a whole file locked; false where nobody can tell. */
export function isLocked(file: string, locksFile = "/proc/locks"): boolean {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    const name = ` ${deviceName(dev)}:${ino} `;
    return readFileSync(locksFile, "utf8")
      .split("\n")
      .some((line) => line.includes(" FLOCK ") && line.includes(name) && !line.includes("->"));
  } catch {
    // No such file, or no /proc/locks.
    return false;
  }
}

/** "3: POSIX  ADVISORY  WRITE 4711 fd:01:131090 120 120". Processes that only wait for a lock have an arrow. */
export function holdersIn(locks: string, file: string): number[] {
  const pids = locks.split("\n").flatMap((line) => {
    const [, kind, , access, pid, inode, first, last] = line.trim().split(/\s+/);
    const covers = Number(first) <= WAL_WRITE_LOCK_BYTE && (last === "EOF" || Number(last) >= WAL_WRITE_LOCK_BYTE);
    return kind === "POSIX" && access === "WRITE" && inode === file && covers && Number(pid) > 0 ? [Number(pid)] : [];
  });
  return [...new Set(pids)];
}

/** A device as /proc/locks writes it: two hexadecimal numbers that stat() packs into one. */
function deviceName(dev: bigint): string {
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn);
  const minor = (dev & 0xffn) | ((dev >> 12n) & ~0xffn);
  return `${hex(major)}:${hex(minor)}`;
}

function hex(part: bigint): string {
  return part.toString(16).padStart(2, "0");
}
