/** The files of the built page, which lie beside the program. */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { pathIn } from "../files/path-in.ts";
import { isMissing } from "../files/system-error.ts";

/** Throws if one is missing: then the build is not whole. */
export function readPageFile(name: string): Buffer {
  return readFileSync(pathIn(pageDirectory(), name));
}

/** Null if the build has no such file. */
export function readPageFileOrNull(name: string): Buffer | null {
  try {
    return readPageFile(name);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** The bundle has a path where a module has an address. */
function pageDirectory(): string {
  const place = import.meta.url;
  return pathIn(dirname(place.startsWith("file:") ? fileURLToPath(place) : place), "page");
}
