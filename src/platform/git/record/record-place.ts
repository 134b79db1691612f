/**
 * Where the turn record of a repository lies, and whether it is still as we made it.
 *
 *   <data>/record/<digest>.git/
 *     objects/            blobs and trees, as git keeps them
 *     trees/<digest>.json what is known of a working tree: its last snapshot, and the name of its index
 *     index-<id>          git's index of that snapshot
 *     turns/<room>/       a file for each moment of a turn
 *
 * Agents in a sandbox may write in the data directory, and our git runs outside of that sandbox. So this directory is
 * never git's own: it has no configuration, no attributes, no hooks and no refs that git would read. Git gets a new
 * directory of ours for each question (record-git.ts), and takes only objects from here. Everything else is read as data
 * and checked: ids must look like ids, and an index is copied without the entries of submodules (git-index.ts), because
 * git would start itself in there. What remains for such an agent is to write wrong data, as it may in the store.
 * A link in place of a directory would make us write elsewhere, so there must be none.
 */
import { lstatSync, readdirSync, rmSync } from "node:fs";
import type { SkippedSnapshot } from "../../../stick/rules/snapshot.ts";
import { sha256Hex } from "../../files/digest.ts";
import { pathIn } from "../../files/path-in.ts";
import { makePrivateDirectory } from "../../files/private-path.ts";
import { realPathOrNull } from "../../files/real-place.ts";
import { findCheckout, type GitRepository } from "../git-checkout.ts";
import { type GitSettings, readRepositorySettings } from "../git-settings.ts";
import { isTreeOf } from "../private-tree.ts";

export interface RecordPlace {
  readonly topLevel: string;
  readonly repository: GitRepository;
  /** The repository's own settings, as data. */
  readonly settings: GitSettings;
  /** How long an object id of the repository is. */
  readonly idBytes: 20 | 32;
  readonly directory: string;
  readonly objects: string;
  /** Names this working tree among those of the repository. */
  readonly treeKey: string;
}

const RECORD = "record";
const DIGEST_CHARACTERS = 32;
const PARTS = ["objects", "trees", "turns"];
const OBJECTS_PART = /^(?:[0-9a-f]{2}|pack)$/;
const OTHERS_WRITE = 0o022;

export function recordDirectory(dataDir: string): string {
  return pathIn(dataDir, RECORD);
}

/** Finds the record of the repository around a path. Creates nothing. */
export function findRecord(path: string, dataDir: string, home: string | null): RecordPlace | SkippedSnapshot {
  const real = realPathOrNull(path);
  const checkout = real === null ? null : findCheckout(real, home);
  if (!checkout?.repository) return { skipped: "not_a_repository" };
  const { topLevel, repository } = checkout;
  const settings = readRepositorySettings(repository);
  if (settings === null || !isTreeOf(topLevel, repository, settings)) return { skipped: "not_a_repository" };
  const format = settings("extensions.objectformat") === "sha256" ? "sha256" : "sha1";
  const digest = sha256Hex(`${format}\0${repository.commonDir}`).slice(0, DIGEST_CHARACTERS);
  const directory = pathIn(recordDirectory(dataDir), `${digest}.git`);
  return {
    topLevel,
    repository,
    settings,
    idBytes: format === "sha256" ? 32 : 20,
    directory,
    objects: pathIn(directory, "objects"),
    treeKey: sha256Hex(topLevel).slice(0, DIGEST_CHARACTERS),
  };
}

export function isPlace(found: RecordPlace | SkippedSnapshot): found is RecordPlace {
  return "directory" in found;
}

/** Creates what is missing. Throws the system's error, or the fault of a path that is not ours. */
export function prepareRecord(directory: string): void {
  const record = directory.slice(0, directory.lastIndexOf("/"));
  makePrivateDirectory(record);
  makePrivateDirectory(directory);
  for (const part of PARTS) makePrivateDirectory(pathIn(directory, part));
}

/** Whether each directory is one of ours and no link. What git could read besides objects is removed. */
export function isSafeRecord(directory: string): boolean {
  const record = directory.slice(0, directory.lastIndexOf("/"));
  const own = [record, directory, ...PARTS.map((part) => pathIn(directory, part))];
  if (!own.every(isOwnDirectory)) return false;
  const objects = pathIn(directory, "objects");
  try {
    for (const entry of readdirSync(objects, { withFileTypes: true })) {
      if (entry.isDirectory() && OBJECTS_PART.test(entry.name)) continue;
      if (entry.isSymbolicLink()) return false;
      // For example `info/alternates`, which would add objects of other places. Git also leaves temporary files here.
      if (entry.name === "info") rmSync(pathIn(objects, entry.name), { recursive: true, force: true });
    }
    return true;
  } catch {
    // It cannot be read, or a planted entry cannot be removed.
    return false;
  }
}

function isOwnDirectory(path: string): boolean {
  try {
    const stats = lstatSync(path);
    return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & OTHERS_WRITE) === 0;
  } catch {
    // Missing or out of reach.
    return false;
  }
}

/** Ids come from files that others may have written, and go to git as arguments. */
export function isObjectId(text: unknown): text is string {
  return typeof text === "string" && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
