import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceFile } from "./tree.ts";

export const root = join(import.meta.dirname, "../..");

/** Every file under a folder whose name ends so, by its path from the project's root. */
export function filesUnder(folder: string, ending = ".ts"): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name).replaceAll("\\", "/"))
    .filter((path) => path.endsWith(ending))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}
