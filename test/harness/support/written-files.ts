/** What programs have written below a directory, in a form that is the same after two runs of one program. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";

/** By the name of a file, or of a table in a database: its lines or rows. Names and lines are without chance. */
export type Written = ReadonlyMap<string, readonly string[]>;

export function writtenBelow(root: string, place: string, leftOut: RegExp): Written {
  const names = readdirSync(join(root, place), { recursive: true, encoding: "utf8" }).map((name) => join(place, name));
  const isFile = (name: string) => statSync(join(root, name), { throwIfNoEntry: false })?.isFile();
  const written = new Map<string, readonly string[]>();
  for (const file of names.filter((name) => !leftOut.test(name) && isFile(name)).toSorted()) {
    for (const [part, lines] of partsOf(join(root, file))) {
      const name = withoutChance(file + part);
      written.set(name, [...(written.get(name) ?? []), ...lines]);
    }
  }
  return written;
}

function partsOf(path: string): readonly (readonly [part: string, lines: readonly string[]])[] {
  // They belong to the database beside them and are read with it. Whether they are left behind is chance: Codex ends
  // while its last connections are being closed, without tt no less than with it.
  if (/-(shm|wal)$/.test(path)) return [];
  const text = readFileSync(path, "latin1");
  if (!text.startsWith("SQLite format 3\0")) return [["", text.split("\n").map(withoutChance)]];
  const database = new DatabaseSync(path);
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const parts = tables.map(({ name }) => {
    const rows = database.prepare(`SELECT * FROM "${name}"`).all();
    return [` ${name}`, rows.map((row) => withoutChance(JSON.stringify(row))).toSorted()] as const;
  });
  database.close();
  return parts;
}

/** Ids, times and numbers are others in each run, and so is the name that OpenCode thinks up for a session. */
function withoutChance(text: string): string {
  return text
    .replace(/"slug":"[a-z-]+"/g, '"slug":"#"')
    .replace(/Chunk ID: [0-9a-f]+/g, "Chunk ID: #")
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\b(ses|msg|prt)_[\w-]+/g, "#")
    .replace(/(?<![a-z0-9])[0-9a-f]{7,}(?![a-z0-9])/g, "#")
    .replace(/\d{4}-\d\d-\d\d(T\d\d[-:]\d\d([-:]\d\d)?([-.]\d+)?Z?)?/g, "#")
    .replace(/\d+(\.\d+)?/g, "#");
}
