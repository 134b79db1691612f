/**
 * Files of /proc. Such a file is written by the kernel at the moment it is read, is never a pipe or a device, and is
 * nearly always short, so all that care about files of others is left out. Node reads a whole file as UTF-8 in one call
 * of its own, in less than half the time that opening, reading and closing take.
 */
import { readFileSync, readlinkSync } from "node:fs";

/** Null when it cannot be had for any reason, or is longer than that. */
export function readProcText(path: string, mostCharacters: number): string | null {
  try {
    const text = readFileSync(path, "utf8");
    return text.length > mostCharacters ? null : text;
  } catch {
    // The process is gone, or none of our business; the caller asked for "text or nothing".
    return null;
  }
}

/** Where a link of /proc leads; null for a process of another user, or none, and on a machine without that link. */
export function readProcLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    // The caller knows what it means that there is none.
    return null;
  }
}

/** More than the line of /proc/<pid>/stat ever has. */
export const STAT_LENGTH = 4096;

/**
 * The line of /proc/<pid>/stat, or null for any other text. The second field is the program's name in parentheses and
 * may itself contain blanks and parentheses, so the fields are counted from the last closing one.
 */
export function statFields(stat: string) {
  const end = stat.lastIndexOf(")");
  const fields = stat.slice(end + 2).split(" ");
  const [state = "", parentPid, group, leaderPid, terminal, terminalGroup] = fields;
  const startTicks = fields[19];
  if (startTicks === undefined || !/^\d+$/.test(startTicks)) return null;
  return {
    name: stat.slice(stat.indexOf("(") + 1, end),
    state,
    parentPid: Number(parentPid),
    leaderPid: Number(leaderPid),
    /** The device number of its terminal; 0 for none. */
    terminal: Number(terminal),
    /** Whether what is typed in that terminal goes to its group of processes. */
    isForeground: group === terminalGroup,
    threads: Number(fields[17]),
    startTicks,
  };
}
