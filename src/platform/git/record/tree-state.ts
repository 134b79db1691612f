/**
 * What the record knows of a working tree: the tree of its last snapshot, and git's index of it. With that index the next
 * snapshot reads only the files that have changed. Each snapshot works on a copy and puts a new file in place of the old
 * one. So two of them at once do not disturb each other, and a killed one leaves no lock.
 */
import { statSync, utimesSync } from "node:fs";
import { createRandomness } from "../../clock/randomness.ts";
import { readFileOrNull } from "../../files/bounded-read.ts";
import { pathIn } from "../../files/path-in.ts";
import { removeQuietly, replaceFile, writeNew } from "../../files/replace-file.ts";
import { copyIndexWithoutGitlinks } from "../git-index.ts";
import { isObjectId, type RecordPlace } from "./record-place.ts";

export interface TreeState {
  readonly treeId: string;
  /** What decides which files are ignored, as far as it lies outside of the tree. */
  readonly rules: string;
  readonly index: readonly Uint8Array[];
  readonly indexTimeMs: number;
}

interface StateFile {
  readonly treeId: string;
  readonly rules: string;
  readonly index: string;
}

const STATE_BYTES = 65_536;
const INDEX_BYTES = 512 * 1024 * 1024;
export const INDEX_NAME = /^index-[0-9a-z]{25}$/;

/** Null for a tree without a snapshot, or if its files are not as we wrote them. */
export function loadTreeState(place: RecordPlace): TreeState | null {
  // Another snapshot may replace the index between the two reads.
  return loadOnce(place) ?? loadOnce(place);
}

function loadOnce(place: RecordPlace): TreeState | null {
  const state = readStateFile(stateFile(place));
  const file = state && readFileOrNull(pathIn(place.directory, state.index), INDEX_BYTES, { followLinks: false });
  const copy = file && copyIndexWithoutGitlinks(file.bytes, place.idBytes);
  // We never write a gitlink, so this index is not ours.
  if (!state || !file || !copy || copy.gitlinks.length > 0) return null;
  return { treeId: state.treeId, rules: state.rules, index: copy.parts, indexTimeMs: file.stats.mtimeMs };
}

export function readStateFile(path: string): StateFile | null {
  const text = readFileOrNull(path, STATE_BYTES, { followLinks: false })?.bytes.toString("utf8");
  try {
    const { treeId, rules, index } = JSON.parse(text ?? "null") ?? {};
    const isKnown = isObjectId(treeId) && typeof rules === "string" && INDEX_NAME.test(index);
    return isKnown ? { treeId, rules, index } : null;
  } catch {
    // Not ours: as if there were none.
    return null;
  }
}

/** Keeps the index at `indexPath` for the next snapshot. Throws the system's error. */
export function saveTreeState(
  place: RecordPlace,
  { treeId, rules, indexPath }: { readonly treeId: string; readonly rules: string; readonly indexPath: string },
): void {
  const written = readFileOrNull(indexPath, INDEX_BYTES, { followLinks: false });
  // A tree without files has none.
  if (written === null) return;
  const before = readStateFile(stateFile(place));
  const index = `index-${createRandomness().id()}`;
  const path = pathIn(place.directory, index);
  writeNew(path, [written.bytes], 0o600);
  // The time of git's own file, rounded down: git compares files that changed since then by their content.
  const seconds = (Math.floor(statSync(indexPath).mtimeMs) - 1) / 1000;
  utimesSync(path, seconds, seconds);
  replaceFile(stateFile(place), `${JSON.stringify({ treeId, rules, index } satisfies StateFile)}\n`, 0o600);
  if (before !== null) removeQuietly(pathIn(place.directory, before.index));
}

function stateFile({ directory, treeKey }: RecordPlace): string {
  return pathIn(directory, `trees/${treeKey}.json`);
}
