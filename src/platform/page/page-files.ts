/** The files of the built page, which lie beside the program. */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { pathIn } from "../files/path-in.ts";

/** Throws if one is missing: then the build is not whole. */
export function readPageFile(name: string): Buffer {
  return readFileSync(pathIn(pageDirectory(), name));
}

/** The bundle has a path where a module has an address. */
function pageDirectory(): string {
  const place = import.meta.url;
  return pathIn(dirname(place.startsWith("file:") ? fileURLToPath(place) : place), "page");
}
