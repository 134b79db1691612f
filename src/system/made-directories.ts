/** Directories that are made for a file of ours, and go with it. */
import { existsSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { makePrivateDirectory } from "./private-path.ts";

/** Makes what is missing above the path; returns what was made, the outermost first. */
export function makeDirectoriesFor(path: string): readonly string[] {
  const made: string[] = [];
  for (let above = dirname(path); !existsSync(above); above = dirname(above)) made.unshift(above);
  for (const directory of made) makePrivateDirectory(directory);
  return made;
}

/** Removes those that are empty, the innermost first. */
export function removeDirectories(directories: readonly string[]): void {
  for (const directory of directories.toReversed()) {
    try {
      rmdirSync(directory);
    } catch {
      // Somebody keeps something there, or has removed it already: either way it is not ours any more.
    }
  }
}
