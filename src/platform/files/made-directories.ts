/** Directories that are made for a file of ours, and go with it. */
import { existsSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { makePrivateDirectory } from "./private-path.ts";

/** The outermost first. */
export function missingAbove(path: string): readonly string[] {
  const missing: string[] = [];
  for (let above = dirname(path); !existsSync(above); above = dirname(above)) missing.unshift(above);
  return missing;
}

/** The outermost comes first. */
export function makeDirectories(directories: readonly string[]): void {
  for (const directory of directories) makePrivateDirectory(directory);
}

/** Removes those that are empty, the innermost first. */
export function removeDirectories(directories: readonly string[]): void {
  for (const directory of directories.toReversed()) {
    try {
      rmdirSync(directory);
    } catch {
      // It holds other files, or is removed already: either way it is not ours any more.
    }
  }
}
