/**
 * The first snapshot of a large tree. Most files are in the repository already, byte for byte. Their objects are borrowed
 * from there: our index names them, and the record has no copy. If the repository's own clean-up removes such an object
 * one day, the record cannot give that file back, and says so.
 */
import { lstatSync } from "node:fs";
import { bytePath } from "./listed-paths.ts";
import type { RecordGit } from "./record-git.ts";
import { isObjectId, type RecordPlace } from "./record-place.ts";

/** A smaller tree is copied whole: that takes no longer, and nothing is borrowed. */
const MANY_FILES = 1000;
const OWNER_RUNS = 0o100;

/** Whether our index has entries now. Looking for objects only reads, so nothing changes in the repository. */
export async function borrowObjects(
  git: RecordGit,
  { topLevel }: RecordPlace,
  names: readonly string[],
): Promise<boolean> {
  if (names.length < MANY_FILES) return false;
  const files = names.flatMap((name) => fileAt(topLevel, name));
  const hashed = await git.ask(["hash-object", "--no-filters", "--stdin-paths"], {
    input: files.map(({ name }) => `${name}\n`).join(""),
  });
  if (hashed.ended !== "done") return false;
  const ids = hashed.bytes.split("\n").slice(0, -1);
  const checked = await git.ask(["cat-file", "--batch-check=%(objectname)"], {
    input: ids.map((id) => `${id}\n`).join(""),
    borrows: true,
  });
  if (checked.ended !== "done" || ids.length !== files.length) return false;
  // A missing object has a second word.
  const there = checked.bytes.split("\n").map((line) => isObjectId(line));
  const entries = files.flatMap(({ name, mode }, at) => (there[at] ? [`${mode} ${ids[at]}\t${name}\0`] : []));
  const added = await git.ask(["update-index", "-z", "--index-info"], { input: entries.join("") });
  if (added.ended !== "done") return false;
  // Compares each file with its object once more, and notes its time and size. A file that changed meanwhile stays dirty.
  await git.ask(["update-index", "-q", "--refresh"]);
  return true;
}

/** Only plain files, whose names fit in a line. */
function fileAt(topLevel: string, name: string): { readonly name: string; readonly mode: string }[] {
  if (/[\n"]/.test(name)) return [];
  const stats = lstatSync(bytePath(topLevel, name), { throwIfNoEntry: false });
  if (!stats?.isFile()) return [];
  return [{ name, mode: (stats.mode & OWNER_RUNS) === 0 ? "100644" : "100755" }];
}
