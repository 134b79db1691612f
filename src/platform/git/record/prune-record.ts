/**
 * Removes old turns from the record, and packs what is left. Only the record's own objects are touched. Git decides what
 * the kept trees need. What nothing needs is removed once it is older than any snapshot may take, because a snapshot
 * that runs now may need it; git renews the time of an object that it wants to write again.
 */
import { rmdirSync, rmSync, statSync } from "node:fs";
import type { PrunedRecord, RecordLimits } from "../../../engine/ports/working-tree.ts";
import { listNames } from "../../files/list-names.ts";
import { pathIn } from "../../files/path-in.ts";
import { removeQuietly } from "../../files/replace-file.ts";
import { openRecordGit, type RecordGit, type RecordGitOptions } from "./record-git.ts";
import { isSafeRecord, type RecordPlace, recordDirectory } from "./record-place.ts";
import { INDEX_NAME, readStateFile } from "./tree-state.ts";
import { type MomentFile, momentFiles } from "./turn-files.ts";

export interface PruneOptions extends RecordLimits {
  readonly dataDir: string;
  readonly nowMs: number;
  /** Objects that are younger stay. */
  readonly graceMs: number;
}

/** The packs that this process made, by their path, with their times. No snapshot needs one whose time is the same. */
type OwnPacks = Map<string, number>;

const DAY_MS = 24 * 60 * 60 * 1000;
const BUDGET_MS = 300_000;
const RECORD_NAME = /^[0-9a-f]{32}\.git$/;

export async function pruneRecords(options: PruneOptions, git: RecordGitOptions): Promise<PrunedRecord> {
  const root = recordDirectory(options.dataDir);
  let total: PrunedRecord = { turns: 0, bytesBefore: 0, bytesAfter: 0 };
  for (const name of listNames(root).filter((one) => RECORD_NAME.test(one))) {
    const directory = pathIn(root, name);
    if (!isSafeRecord(directory)) continue;
    const pruned = await pruneRecord(directory, options, git);
    total = {
      turns: total.turns + pruned.turns,
      bytesBefore: total.bytesBefore + pruned.bytesBefore,
      bytesAfter: total.bytesAfter + pruned.bytesAfter,
    };
  }
  return total;
}

async function pruneRecord(directory: string, options: PruneOptions, git: RecordGitOptions): Promise<PrunedRecord> {
  const bytesBefore = bytesIn(directory);
  const oldest = options.nowMs - options.keepDays * DAY_MS;
  let removed = removeTurns(turnsIn(directory).filter(({ writtenAtMs }) => writtenAtMs < oldest));
  forgetOldTrees(directory, oldest);
  const own: OwnPacks = new Map();
  await pack(directory, options, git, own);
  while (bytesIn(directory) > options.maxBytes) {
    const turns = turnsIn(directory);
    if (turns.length === 0) break;
    removed += removeTurns(turns.slice(0, Math.ceil(turns.length / 4)));
    // Git cannot be asked: nothing gets smaller.
    if (!(await pack(directory, options, git, own))) break;
  }
  if (turnsIn(directory).length === 0 && listNames(pathIn(directory, "trees")).length === 0) {
    rmSync(directory, { recursive: true, force: true });
  }
  return { turns: removed, bytesBefore, bytesAfter: bytesIn(directory) };
}

interface KeptTurn {
  readonly files: readonly MomentFile[];
  readonly writtenAtMs: number;
}

/** The oldest first. */
function turnsIn(directory: string): readonly KeptTurn[] {
  const turns = new Map<string, MomentFile[]>();
  for (const file of momentFiles(directory)) {
    const kind = file.kind === "before-restore" ? file.kind : "turn";
    const key = `${file.room} ${kind} ${file.number}`;
    turns.set(key, [...(turns.get(key) ?? []), file]);
  }
  return [...turns.values()]
    .map((files) => ({ files, writtenAtMs: Math.max(...files.map(({ writtenAtMs }) => writtenAtMs)) }))
    .toSorted((a, b) => a.writtenAtMs - b.writtenAtMs);
}

function removeTurns(turns: readonly KeptTurn[]): number {
  for (const { path } of turns.flatMap(({ files }) => files)) removeQuietly(path);
  return turns.length;
}

/** Trees that nobody has worked in for so long: their next snapshot is a first one again. */
function forgetOldTrees(directory: string, oldest: number): void {
  for (const name of listNames(pathIn(directory, "trees"))) {
    const path = pathIn(directory, `trees/${name}`);
    if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? oldest) < oldest) removeQuietly(path);
  }
  for (const room of listNames(pathIn(directory, "turns"))) removeIfEmpty(pathIn(directory, `turns/${room}`));
}

/** False when git could not do it. Then nothing was removed. */
async function pack(
  directory: string,
  options: PruneOptions,
  gitOptions: RecordGitOptions,
  own: OwnPacks,
): Promise<boolean> {
  const states = listNames(pathIn(directory, "trees")).flatMap(
    (name) => readStateFile(pathIn(directory, `trees/${name}`)) ?? [],
  );
  const trees = [
    ...states.map(({ treeId }) => treeId),
    ...momentFiles(directory).flatMap(({ treeId }) => treeId ?? []),
  ];
  let git: RecordGit | null = null;
  try {
    git = openRecordGit(placeOf(directory, trees), gitOptions, { budgetMs: BUDGET_MS, withTree: false });
    const packed = git && (await packTrees(git, directory, [...new Set(trees)]));
    if (packed === null) return false;
    removeUnneeded(directory, packed, options, own);
    const indexes = new Set(states.map(({ index }) => index));
    const left = listNames(directory).filter((name) => INDEX_NAME.test(name) && !indexes.has(name));
    for (const name of left) removeOld(pathIn(directory, name), options);
    return true;
  } catch {
    // No place for git's directory: the disk is full.
    return false;
  } finally {
    git?.close();
  }
}

/** Only the objects matter here, so there is no working tree. */
function placeOf(directory: string, trees: readonly string[]): RecordPlace {
  return {
    topLevel: directory,
    repository: { gitDir: directory, commonDir: directory },
    settings: () => null,
    idBytes: trees[0]?.length === 64 ? 32 : 20,
    directory,
    objects: pathIn(directory, "objects"),
    treeKey: "",
  };
}

/** The name of the new pack; empty when nothing is kept, and null when git failed. */
async function packTrees(git: RecordGit, directory: string, trees: readonly string[]): Promise<string | null> {
  const checked = await git.ask(["cat-file", "--batch-check=%(objectname) %(objecttype)"], {
    input: trees.map((id) => `${id}\n`).join(""),
  });
  if (checked.ended !== "done") return null;
  const known = [...checked.bytes.matchAll(/^([0-9a-f]+) tree$/gm)].map(([, id]) => id);
  if (known.length === 0) return "";
  // What is borrowed from the user's repository counts as missing here.
  const listed = await git.ask(["rev-list", "--objects", "--no-object-names", "--missing=allow-any", "--stdin"], {
    input: known.map((id) => `${id}\n`).join(""),
  });
  if (listed.ended !== "done" || listed.bytes === "") return null;
  const target = pathIn(directory, "objects/pack/pack");
  const packed = await git.ask(["pack-objects", "-q", target], { input: listed.bytes });
  const name = packed.ended === "done" ? packed.bytes.trim() : "";
  return /^[0-9a-f]{40,64}$/.test(name) ? name : null;
}

function removeUnneeded(directory: string, packed: string, options: PruneOptions, own: OwnPacks): void {
  const objects = pathIn(directory, "objects");
  for (const part of listNames(objects)) {
    const folder = pathIn(objects, part);
    for (const name of listNames(folder)) {
      const isKept = part === "pack" && packed !== "" && name.startsWith(`pack-${packed}.`);
      const path = pathIn(folder, name);
      const timeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (isKept) own.set(path, timeMs);
      else if (own.get(path) === timeMs) removeQuietly(path);
      else removeOld(path, options);
    }
    if (part !== "pack") removeIfEmpty(folder);
  }
}

function removeOld(path: string, { nowMs, graceMs }: PruneOptions): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && stats.mtimeMs <= nowMs - graceMs) removeQuietly(path);
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // It has files.
  }
}

/** Of all files in it. */
function bytesIn(directory: string): number {
  return listNames(directory).reduce((sum, name) => {
    const path = pathIn(directory, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    return sum + (stats?.isDirectory() ? bytesIn(path) : (stats?.size ?? 0));
  }, 0);
}
