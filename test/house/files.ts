import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SourceFile } from "./tree.ts";

export const root = join(import.meta.dirname, "../..");

/** Every file under a folder whose name has one of these endings, by its path from the project's root. */
export function filesUnder(folder: string, endings: readonly string[] = [".ts", ".tsx"]): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name).replaceAll("\\", "/"))
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}
