/**
 * Files of ours in the user's cache that a started agent runs or loads. So only their user may be able to write them, nor
 * the directories from the cache down to them.
 */
import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { Fault } from "../../core/fault.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { makeDirectories, missingAbove } from "./made-directories.ts";
import { readPrivateText } from "./private-file.ts";
import { ensurePrivateDirectory, takingAway } from "./private-path.ts";
import { replaceFile } from "./replace-file.ts";
import { errorCode } from "./system-error.ts";

interface KeptText {
  /** Somewhere below the cache. */
  readonly path: string;
  readonly text: string;
  readonly executable: boolean;
}

/** Null if it is there now. A sentence says why it could not be written; a refusal, why it must not be used. */
export function keepFile(cache: string, { path, text, executable }: KeptText): Refusal | string | null {
  const directory = dirname(path);
  try {
    makeDirectories(missingAbove(cache));
    ensureDirectories(cache, directory);
    const isThere = readPrivateText(path) === text && (!executable || (lstatSync(path).mode & 0o100) !== 0);
    if (!isThere) replaceFile(path, text, executable ? 0o700 : 0o600, { durable: true });
    return null;
  } catch (error) {
    const cause = error instanceof Fault ? error.facts["cause"] : errorCode(error);
    if (cause === "") throw error;
    return cause === undefined ? unsafe(cache, error as Fault) : failure(directory, String(cause));
  }
}

function ensureDirectories(cache: string, directory: string): void {
  if (directory !== cache) ensureDirectories(cache, dirname(directory));
  ensurePrivateDirectory(directory);
}

/** What the fault advises is about the data directory. */
function unsafe(cache: string, { message, facts }: Fault): Refusal {
  const next = `An agent would run the hooks from there. If all of it is yours: ${takingAway(cache)}; if not, set XDG_CACHE_HOME to a directory of your own.`;
  return refuse("invalid_path", message, next, { path: String(facts["path"]) });
}

function failure(directory: string, cause: string): string {
  if (["EROFS", "EACCES", "EPERM"].includes(cause)) return `${directory} may not be written (${cause}).`;
  if (["ENOSPC", "EDQUOT"].includes(cause)) return `There is no space left for ${directory} (${cause}).`;
  return `${directory} cannot be used (${cause}).`;
}
