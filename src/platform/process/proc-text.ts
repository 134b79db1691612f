/**
 * Reads files of /proc. The kernel writes such a file at the moment it is read. It is never a pipe or a device, and
 * nearly always short, so the checks for other programs' files are left out. Node reads a whole file as UTF-8 in one
 * call, in less than half the time of opening, reading and closing it.
 */
import { readFileSync, readlinkSync } from "node:fs";

/** Null if the file cannot be read for any reason, or is longer than that. */
export function readProcText(path: string, mostCharacters: number): string | null {
  try {
    const text = readFileSync(path, "utf8");
    return text.length > mostCharacters ? null : text;
  } catch {
    // The process is gone, or belongs to another user. The caller wants the text or null.
    return null;
  }
}

/** Where a link of /proc leads; null for a process of another user, or none, and on a machine without that link. */
export function readProcLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    // The caller knows what a missing link means.
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
    /** Whether keys that are typed in that terminal go to its process group. */
    isForeground: group === terminalGroup,
    threads: Number(fields[17]),
    startTicks,
  };
}
