/**
 * Where a command of the system is. The search is our own: an empty or relative entry of PATH would be searched in the
 * working tree, and so would an entry inside of it, such as the one that `npx` adds. What lies there is data.
 */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Environment } from "./environment.ts";
import { findCheckout } from "./git-checkout.ts";
import { homeDirectory } from "./home-directory.ts";
import { pathIn } from "./path-in.ts";

/** Where programs are searched when PATH is not set. */
const USUAL_PATH = "/usr/bin:/bin";

/** Whether a command of that name can be run. */
export function isOnPath(env: Environment, program: string): boolean {
  return absoluteEntries(env).some((directory) => canRun(pathIn(directory, program)));
}

/** The absolute path of a command outside of the given working tree; null when there is none. */
export function findProgram(env: Environment, program: string, tree = currentTree(env)): string | null {
  if (isAbsolute(program)) return program;
  const found = absoluteEntries(env).find(
    (directory) => canRun(pathIn(directory, program)) && !isInside(tree, directory),
  );
  return found === undefined ? null : pathIn(found, program);
}

/** The entries of PATH that a child of ours may search. */
export function safePath(env: Environment, tree = currentTree(env)): string {
  return absoluteEntries(env)
    .filter((directory) => !isInside(tree, directory))
    .join(":");
}

/** Top of the working tree around the current directory, if there is one. */
function currentTree(env: Environment): string | null {
  try {
    const home = homeDirectory(env);
    return findCheckout(process.cwd(), home === null ? null : realpathSync.native(home))?.topLevel ?? null;
  } catch {
    // The current directory has vanished, and so has the tree.
    return null;
  }
}

function absoluteEntries(env: Environment): string[] {
  return (env["PATH"] ?? USUAL_PATH).split(":").filter((directory) => isAbsolute(directory));
}

function isInside(tree: string | null, directory: string): boolean {
  if (tree === null) return false;
  try {
    const real = realpathSync.native(directory);
    return real === tree || real.startsWith(pathIn(tree, ""));
  } catch {
    // A directory that is not there holds no programs.
    return true;
  }
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not for us: it cannot be run.
    return false;
  }
}
