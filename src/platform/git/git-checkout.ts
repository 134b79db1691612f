/**
 * Finds the git working tree around a path from files alone, so that it works without git, costs no child
 * process and cannot be misled by GIT_* variables.
 */

import { lstatSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { readTextOrNull } from "../files/bounded-read.ts";
import { isDirectory, statsOrNull } from "../files/list-names.ts";
import { pathIn } from "../files/path-in.ts";
import { realPathOrNull } from "../files/real-place.ts";

export interface GitCheckout {
  /** Top of the working tree; for a bare repository, the repository itself. */
  readonly topLevel: string;
  /** Null when the working tree points to a repository that is not there. */
  readonly repository: GitRepository | null;
}

export interface GitRepository {
  /** Where this working tree's own HEAD is. */
  readonly gitDir: string;
  /** The directory that all working trees of the repository share, without symlinks. */
  readonly commonDir: string;
}

const POINTER_BYTES = 16_384;

/**
 * The nearest checkout at or above `path`, which must be absolute and without symlinks. A repository in the
 * home directory itself holds a person's settings and says nothing about the paths below it.
 */
export function findCheckout(path: string, home: string | null): GitCheckout | null {
  for (const directory of ancestorsOf(path)) {
    if (directory === home && directory !== path) continue;
    const found = checkoutAt(directory);
    if (found !== null) return found;
  }
  return null;
}

/** The path itself, then its parents up to the root. */
export function ancestorsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...ancestorsOf(parent)];
}

function checkoutAt(topLevel: string): GitCheckout | null {
  const dotGit = pathIn(topLevel, ".git");
  const kind = statsOrNull(dotGit);
  if (kind?.isDirectory()) return hasHead(dotGit) ? { topLevel, repository: repositoryAt(dotGit) } : null;
  const pointer = kind && /^gitdir: *(.+)$/m.exec(readTextOrNull(dotGit, POINTER_BYTES) ?? "")?.[1]?.trimEnd();
  if (!pointer) return isBareRepository(topLevel) ? { topLevel, repository: repositoryAt(topLevel) } : null;
  const gitDir = resolve(topLevel, pointer);
  return { topLevel, repository: hasHead(gitDir) ? repositoryAt(gitDir) : null };
}

/** A linked working tree names the directory it shares with the others in a file `commondir`. */
function repositoryAt(gitDir: string): GitRepository | null {
  const shared = readTextOrNull(pathIn(gitDir, "commondir"), POINTER_BYTES)?.trimEnd();
  // Null if the repository was moved or deleted; the working tree is still one.
  const commonDir = realPathOrNull(shared ? resolve(gitDir, shared) : gitDir);
  return commonDir === null ? null : { gitDir, commonDir };
}

/** A path inside `.git` belongs to the working tree around it, so `.git` itself is never taken for bare. */
function isBareRepository(directory: string): boolean {
  if (basename(directory) === ".git" || !hasHead(directory)) return false;
  return isDirectory(pathIn(directory, "objects")) && isDirectory(pathIn(directory, "refs"));
}

/** HEAD may be a symlink to a branch that has no commit yet, so it is not followed. */
function hasHead(gitDir: string): boolean {
  try {
    return lstatSync(pathIn(gitDir, "HEAD"), { throwIfNoEntry: false })?.isDirectory() === false;
  } catch {
    // Without a readable HEAD it is not a repository.
    return false;
  }
}
