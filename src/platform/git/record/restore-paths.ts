/**
 * Gives paths the content that they have in a tree of the record. What is there now is kept first, as a snapshot of its
 * own. The bytes are written by us and not by git: git would follow the attributes of the tree, and links in it.
 *
 * An agent may have written the tree (record-place.ts). So no name may lead out of the working tree or into `.git`, and
 * every blob must have the digest that names it.
 */
import type {
  KeptTree,
  RestoredPaths,
  RestoreObstacle,
  UnrestoredReason,
  WantedPaths,
} from "../../../engine/ports/working-tree.ts";
import type { ChangedFile, TreeComparison, TreeSnapshot } from "../../../stick/rules/snapshot.ts";
import { isWithin } from "../../files/path-in.ts";
import { comparison } from "./compare-trees.ts";
import { nameBytes, nameText } from "./listed-paths.ts";
import { openRecordGit, type RecordGit, type RecordGitOptions } from "./record-git.ts";
import { isObjectId, isSafeRecord, type RecordPlace } from "./record-place.ts";
import { deleteBeneath, isPlainName, kindBeneath, type NewFile, writeBeneath } from "./write-beneath.ts";

const BUDGET_MS = 120_000;
const BATCH_BYTES = 32 * 1024 * 1024;
const BATCH_FILES = 2000;
const KINDS: Readonly<Record<string, NewFile["kind"]>> = { "100644": "file", "100755": "executable", "120000": "link" };
const NO_FILE = "000000";

interface RestoredTrees {
  readonly target: TreeSnapshot;
  /** The tree as it is now. */
  readonly before: TreeSnapshot;
  /** Keeps it. Null if that is not possible. */
  readonly keep: () => KeptTree | null;
}

export async function restorePaths(
  place: RecordPlace,
  options: RecordGitOptions,
  trees: RestoredTrees,
  wanted: WantedPaths,
): Promise<RestoredPaths | RestoreObstacle> {
  const unusable = { obstacle: "no_snapshot", skipped: "unsafe" } as const;
  if (!isObjectId(trees.target.treeId) || !isSafeRecord(place.directory)) return unusable;
  let git: RecordGit | null = null;
  try {
    git = openRecordGit(place, options, { budgetMs: BUDGET_MS, withTree: false });
    if (git === null) return { obstacle: "no_snapshot", skipped: "no_git" };
    return await restoreWith(git, place, trees, wanted);
  } catch {
    // No directory for git.
    return { obstacle: "no_snapshot", skipped: "disk_full" };
  } finally {
    git?.close();
  }
}

async function restoreWith(
  git: RecordGit,
  place: RecordPlace,
  { target, before, keep }: RestoredTrees,
  { paths, force, mayWrite }: WantedPaths,
): Promise<RestoredPaths | RestoreObstacle> {
  const trees = { from: before.treeId, to: target.treeId, paths };
  const absent = await firstAbsent(git, [before.treeId, target.treeId], paths);
  if (absent !== null) return { obstacle: "no_such_path", path: absent };
  const changes = await comparison(git, place, trees);
  if (changes === null) return { obstacle: "no_snapshot", skipped: "failed" };
  const steps = await stepsBetween(git, trees);
  if (steps === null) return { obstacle: "no_snapshot", skipped: "failed" };
  // Only a file that is not there now can be restored without overwriting anything.
  const newer = steps.filter(({ isNew }) => !isNew);
  if (newer.length > 0 && !force) return { obstacle: "newer_changes", changes: shownOf(newer, changes) };
  const failed: Failed[] = [];
  const deleted: string[] = [];
  const possible = steps.filter((step) => {
    const why = obstacleTo(place, step, target, before);
    if (why) failed.push({ path: nameText(step.name), why });
    return why === null;
  });
  if (possible.length === 0) return { restored: [], deleted, failed, kept: null };
  const kept = keep();
  if (kept === null) return { obstacle: "no_snapshot", skipped: "unwritable" };
  if (!(await mayWrite())) return { obstacle: "not_allowed" };
  // A file may stand where the target has a directory.
  for (const { name } of possible.filter(({ kind }) => kind === null)) {
    const why = deleteBeneath(place.topLevel, name);
    if (why) failed.push({ path: nameText(name), why });
    else deleted.push(nameText(name));
  }
  const written = possible.filter((step): step is Writing => step.kind !== null);
  const restored = await writeAll(git, place, written, failed);
  return { restored, deleted, failed, kept };
}

/** The comparison lists only so many files, and new ones may come first in it. */
function shownOf(steps: readonly Step[], { files }: TreeComparison): TreeComparison {
  const listed = new Map(files.map((file) => [file.path, file]));
  const shown = steps.slice(0, BATCH_FILES).map(({ name, kind }): ChangedFile => {
    const path = nameText(name);
    const status = kind === null ? "deleted" : "modified";
    return listed.get(path) ?? { path, status, added: null, removed: null, binary: false, untracked: null };
  });
  return { files: shown, more: steps.length - shown.length };
}

interface Failed {
  readonly path: string;
  readonly why: UnrestoredReason;
}

interface Step {
  readonly name: string;
  /** Null for a path that the target does not have. */
  readonly kind: NewFile["kind"] | null;
  readonly id: string;
  /** Whether the path is not in the tree as it is now. */
  readonly isNew: boolean;
}

type Writing = Step & { readonly kind: NewFile["kind"] };

async function stepsBetween(
  git: RecordGit,
  { from, to, paths }: { readonly from: string; readonly to: string; readonly paths: readonly string[] },
): Promise<readonly Step[] | null> {
  const names = paths.includes("") ? [] : paths;
  const asked = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--full-index", from, to, "--", ...names];
  const answer = await git.ask(asked, { borrows: true });
  if (answer.ended !== "done") return null;
  const words = answer.bytes.split("\0");
  return words.flatMap((word, at): Step[] => {
    const [, before = "", after = "", id = ""] = /^:(\d{6}) (\d{6}) [0-9a-f]+ ([0-9a-f]+) [A-Z]$/.exec(word) ?? [];
    const name = words[at + 1] ?? "";
    const isRecord = at % 2 === 0 && after !== "";
    const kind = KINDS[after] ?? null;
    // A gitlink is never ours.
    return isRecord && (kind !== null || after === NO_FILE) ? [{ name, kind, id, isNew: before === NO_FILE }] : [];
  });
}

/** Nothing is overwritten or deleted that one of the two snapshots does not know. */
function obstacleTo(
  { topLevel }: RecordPlace,
  { name, kind, isNew }: Step,
  target: TreeSnapshot,
  before: TreeSnapshot,
): UnrestoredReason | null {
  if (!isPlainName(name)) return "forbidden";
  const known = kind === null ? target : before;
  const path = nameText(name);
  const isListed = known.leftOut.some((left) => isWithin(left.path, path));
  const mayBeLeftOut = known.leftOutCount > known.leftOut.length && (kind === null || isNew);
  const there = kindBeneath(topLevel, name);
  if (isListed || (mayBeLeftOut && there !== null)) return "left_out";
  // The files of a directory are deleted first. If it is not empty then, the write fails.
  return isNew && there === "other" ? "in_the_way" : null;
}

async function writeAll(
  git: RecordGit,
  { topLevel, idBytes }: RecordPlace,
  steps: readonly Writing[],
  failed: Failed[],
): Promise<readonly string[]> {
  const restored: string[] = [];
  const sizes = await sizesOf(
    git,
    steps.map(({ id }) => id),
  );
  for (const batch of batchesOf(steps, sizes)) {
    const blobs = await blobsOf(git, batch, idBytes);
    for (const { name, kind, id } of batch) {
      const blob = blobs.get(id);
      const isGone = blob === undefined || typeof blob === "string";
      const why = isGone ? (blob ?? "missing") : writeBeneath(topLevel, name, { kind, content: blob });
      if (why === null) restored.push(nameText(name));
      else failed.push({ path: nameText(name), why });
    }
  }
  return restored;
}

/** By id; an object that is gone has none. */
async function sizesOf(git: RecordGit, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const answer = await git.ask(["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"], {
    input: ids.map((id) => `${id}\n`).join(""),
    borrows: true,
  });
  const lines = answer.ended === "done" ? answer.bytes.split("\n") : [];
  return new Map(
    lines.flatMap((line) => {
      const [, id = "", size] = /^([0-9a-f]+) blob (\d+)$/.exec(line) ?? [];
      return size === undefined ? [] : [[id, Number(size)] as const];
    }),
  );
}

function batchesOf(steps: readonly Writing[], sizes: ReadonlyMap<string, number>): readonly (readonly Writing[])[] {
  const batches: Writing[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const step of steps) {
    const size = sizes.get(step.id) ?? 0;
    if (bytes + size > BATCH_BYTES || (batches.at(-1)?.length ?? 0) >= BATCH_FILES) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(step);
    bytes += size;
  }
  return batches;
}

type Blobs = ReadonlyMap<string, Buffer | "missing" | "damaged">;

async function blobsOf(git: RecordGit, steps: readonly Writing[], idBytes: 20 | 32): Promise<Blobs> {
  const ids = [...new Set(steps.map(({ id }) => id))];
  const answer = await git.ask(["cat-file", "--batch"], { input: ids.map((id) => `${id}\n`).join(""), borrows: true });
  const bytes = Buffer.from("bytes" in answer ? answer.bytes : "", "latin1");
  const blobs = new Map<string, Buffer | "missing" | "damaged">();
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf("\n", at);
    const [id = "", kind, size = ""] = bytes.toString("latin1", at, end < 0 ? bytes.length : end).split(" ");
    at = end < 0 ? bytes.length : end + 1;
    if (kind !== "blob") continue;
    const content = bytes.subarray(at, at + Number(size));
    at += Number(size) + 1;
    blobs.set(id, digestOf(content, idBytes) === id ? content : "damaged");
  }
  return blobs;
}

function digestOf(content: Buffer, idBytes: 20 | 32): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const hash = createHash(idBytes === 32 ? "sha256" : "sha1");
  return hash.update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** A path that neither tree has. */
async function firstAbsent(git: RecordGit, trees: readonly string[], paths: readonly string[]): Promise<string | null> {
  const wanted = paths.filter((path) => path !== "");
  if (wanted.length === 0) return null;
  const found = new Set<string>();
  for (const tree of trees) {
    const answer = await git.ask(["ls-tree", "-z", "--full-tree", "--name-only", tree, "--", ...wanted]);
    if (answer.ended === "done") for (const name of answer.bytes.split("\0")) found.add(name);
  }
  return wanted.find((path) => !found.has(nameBytes(path))) ?? null;
}
