/**
 * Where a command of the system is. The search is our own: an empty or relative entry of PATH would be searched in the
 * working tree, and so would an entry inside of it, such as the one that `npx` adds. What lies there is data.
 */
import { accessSync, constants, statSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { homeDirectory } from "../files/home-directory.ts";
import { isWithin, pathIn } from "../files/path-in.ts";
import { realPathOrNull } from "../files/real-place.ts";
import { findCheckout } from "../git/git-checkout.ts";
import type { Environment } from "../settings/environment.ts";

/** Where programs are searched when PATH is not set. */
const USUAL_PATH = "/usr/bin:/bin";

/** Whether a command of that name can be run. */
export function isOnPath(env: Environment, program: string): boolean {
  return programIn(absoluteEntries(env), program) !== null;
}

/** The absolute path of a command that lies in no working tree around us, nor around `place`; null when there is none. */
export function findProgram(env: Environment, program: string, place: string | null = null): string | null {
  return isAbsolute(program) ? program : programIn(safePath(env, place), program);
}

export function programIn(directories: readonly string[], program: string): string | null {
  const found = directories.find((directory) => canRun(pathIn(directory, program)));
  return found === undefined ? null : pathIn(found, program);
}

/** The directories of PATH that lie in no working tree around us, nor around `place`. */
export function safePath(env: Environment, place: string | null = null): readonly string[] {
  const trees = treesAround(env, place);
  return absoluteEntries(env).filter((directory) => !isInside(trees, directory));
}

function treesAround(env: Environment, place: string | null): readonly string[] {
  const home = homeDirectory(env);
  const realHome = home && realPathOrNull(home);
  return [...new Set([currentDirectory(), place])].flatMap((path) => (path ? checkoutsAround(path, realHome) : []));
}

function currentDirectory(): string | null {
  try {
    return process.cwd();
  } catch {
    // It has vanished, and so has the tree.
    return null;
  }
}

/** The working tree at or above a path, those around it, and the main one of each. */
function checkoutsAround(path: string, home: string | null): readonly string[] {
  const checkout = path === home ? null : findCheckout(path, home);
  if (checkout === null) return [];
  const { topLevel, repository } = checkout;
  const main = repository?.commonDir.endsWith("/.git") ? [dirname(repository.commonDir)] : [];
  const around = dirname(topLevel);
  return [topLevel, ...main, ...(around === topLevel ? [] : checkoutsAround(around, home))];
}

function absoluteEntries(env: Environment): string[] {
  return (env["PATH"] ?? USUAL_PATH).split(":").filter((directory) => isAbsolute(directory));
}

function isInside(trees: readonly string[], directory: string): boolean {
  if (trees.length === 0) return false;
  const real = realPathOrNull(directory);
  // A directory that is not there holds no programs.
  return real === null || trees.some((tree) => isWithin(tree, real));
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
