/** Which processes have the files of a store open, and whether these are still the store's, as /proc shows it. */
import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isThere, listNames } from "../files/list-names.ts";
import { pathIn } from "../files/path-in.ts";
import { realPathOrNull } from "../files/real-place.ts";
import { readProcLink, readProcText } from "./proc-text.ts";

export interface StoreProcess {
  readonly pid: number;
  /** As a person would recognise it. */
  readonly command: string;
  /** Who it says that it works for. */
  readonly agent: string | null;
  /** Whether a file that it has open was removed or replaced, so that others do not see what it writes. */
  readonly hasLostFiles: boolean;
}

const DELETED = " (deleted)";
const LONGEST_COMMAND = 60;
/** Longer than any environment. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** Other processes than this one; null where the system does not show it. Those of other users stay hidden. */
export function storeProcesses(database: string, procRoot = "/proc"): readonly StoreProcess[] | null {
  if (!isThere(pathIn(procRoot, "self/fd"))) return null;
  // The file may be gone, and its directory must not be a link. If that is gone, too, its name is all that is left.
  const path = pathIn(realPathOrNull(dirname(database)) ?? dirname(database), basename(database));
  const files = new Map([path, `${path}-wal`, `${path}-shm`].map((file) => [file, numberOf(file)]));
  return listNames(procRoot)
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      const open = openAmong(files, pathIn(procRoot, `${name}/fd`));
      if (open.length === 0) return [];
      return [{ pid: Number(name), ...named(pathIn(procRoot, name)), hasLostFiles: open.includes("lost") }];
    });
}

function openAmong(files: ReadonlyMap<string, string | null>, directory: string): readonly ("lost" | "ours")[] {
  return listNames(directory).flatMap((name) => {
    const link = pathIn(directory, name);
    const target = readProcLink(link);
    if (target === null) return [];
    const isDeleted = target.endsWith(DELETED);
    const file = isDeleted ? target.slice(0, -DELETED.length) : target;
    if (!files.has(file)) return [];
    return [isDeleted || numberOf(link) !== files.get(file) ? "lost" : "ours"];
  });
}

function named(directory: string): Pick<StoreProcess, "command" | "agent"> {
  const words = (readProcText(pathIn(directory, "cmdline"), MOST_CHARACTERS) ?? "").split("\0").filter(Boolean);
  // The paths of programs are long, and their names tell as much.
  const command = words.map((word) => (word.startsWith("/") ? basename(word) : word)).join(" ");
  const environment = (readProcText(pathIn(directory, "environ"), MOST_CHARACTERS) ?? "").split("\0");
  const agent = environment.find((entry) => entry.startsWith("TT_AGENT_ID="))?.slice("TT_AGENT_ID=".length) ?? "";
  return { command: readable(command).slice(0, LONGEST_COMMAND), agent: readable(agent) || null };
}

/** Anything can be in the name of a process. */
function readable(text: string): string {
  return text.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, "");
}

function numberOf(path: string): string | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats ? `${stats.dev}:${stats.ino}` : null;
  } catch {
    // A directory above it cannot be entered.
    return null;
  }
}
