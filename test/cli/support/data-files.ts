import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Every file of the data directory with its content and the time of its last change, but for the database's own. */
export function otherFilesIn(data: string): Readonly<Record<string, string>> {
  const names = readdirSync(data, { recursive: true, encoding: "utf8" }).filter((name) => !name.startsWith("tt.db"));
  const files = names.filter((name) => statSync(join(data, name)).isFile());
  return Object.fromEntries(files.toSorted().map((name) => [name, contentOf(join(data, name))]));
}

function contentOf(path: string): string {
  return `${statSync(path).mtimeMs} ${readFileSync(path, "utf8")}`;
}
