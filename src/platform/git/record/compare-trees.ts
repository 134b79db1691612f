/** What differs between two trees of the record: file by file, or as a patch. No file of the working tree is read. */
import type { ChangedFile, PatchText, TreeComparison } from "../../../stick/rules/snapshot.ts";
import { readFileOrNull } from "../../files/bounded-read.ts";
import { pathIn } from "../../files/path-in.ts";
import { nameText } from "./listed-paths.ts";
import { openRecordGit, type RecordGit, type RecordGitOptions } from "./record-git.ts";
import { isObjectId, isSafeRecord, type RecordPlace } from "./record-place.ts";

const COMPARE = ["diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
const FILES_MAX = 2000;
const PATCH_BYTES = 4 * 1024 * 1024;
const BUDGET_MS = 30_000;
const INDEX_BYTES = 512 * 1024 * 1024;
const STATUS: Readonly<Record<string, ChangedFile["status"]>> = { A: "added", D: "deleted", T: "type_changed" };

export interface ComparedTrees {
  readonly from: string;
  readonly to: string;
  /** Relative to the top of the working tree; all files without them. */
  readonly paths?: readonly string[] | undefined;
  /** The commit that was checked out at `from`. It tells which of the deleted files git tracked. */
  readonly head?: string | null | undefined;
}

/** Null when a tree is not known any more, or git cannot be asked. */
export function compareTrees(
  place: RecordPlace,
  options: RecordGitOptions,
  trees: ComparedTrees,
): Promise<TreeComparison | null> {
  return withGit(place, options, trees, (git) => comparison(git, place, trees));
}

export function patchBetween(
  place: RecordPlace,
  options: RecordGitOptions,
  trees: ComparedTrees,
): Promise<PatchText | null> {
  return withGit(place, options, trees, async (git) => {
    if (!(await areKnown(git, trees))) return null;
    const answer = await git.ask([...COMPARE, "-p", ...operands(trees)], { borrows: true, maxBytes: PATCH_BYTES });
    if (answer.ended !== "done" && answer.ended !== "failed") return null;
    const text = Buffer.from(answer.bytes, "latin1").toString("utf8");
    return { text, cut: answer.ended === "done" && answer.cut, missing: answer.ended === "failed" };
  });
}

async function withGit<T>(
  place: RecordPlace,
  options: RecordGitOptions,
  { from, to }: ComparedTrees,
  work: (git: RecordGit) => Promise<T | null>,
): Promise<T | null> {
  if (!isObjectId(from) || !isObjectId(to) || !isSafeRecord(place.directory)) return null;
  let git: RecordGit | null = null;
  try {
    git = openRecordGit(place, options, { budgetMs: BUDGET_MS, withTree: false });
    return git && (await work(git));
  } catch {
    // No directory for git: the disk is full.
    return null;
  } finally {
    git?.close();
  }
}

async function areKnown(git: RecordGit, { from, to }: ComparedTrees): Promise<boolean> {
  const answer = await git.ask(["cat-file", "--batch-check=%(objecttype)"], { input: `${from}\n${to}\n` });
  return answer.ended === "done" && answer.bytes === "tree\ntree\n";
}

function operands({ from, to, paths }: ComparedTrees): string[] {
  // The whole tree is not a path that git accepts.
  const names = (paths ?? []).filter((path) => path !== "");
  return [from, to, "--", ...(names.length < (paths ?? []).length ? [] : names)];
}

export async function comparison(
  git: RecordGit,
  place: RecordPlace,
  trees: ComparedTrees,
): Promise<TreeComparison | null> {
  if (!(await areKnown(git, trees))) return null;
  const [raw, counts] = await Promise.all([
    git.ask([...COMPARE, "-z", "--raw", ...operands(trees)], { borrows: true }),
    // Fails if the bytes of one file are gone. Then no lines are counted.
    git.ask([...COMPARE, "-z", "--numstat", ...operands(trees)], { borrows: true }),
  ]);
  if (raw.ended !== "done") return null;
  const lines = counts.ended === "done" ? linesIn(counts.bytes) : new Map<string, Lines>();
  const words = raw.bytes.split("\0");
  const found: { readonly name: string; readonly status: ChangedFile["status"] }[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const letter = /([A-Z])$/.exec(words[at] ?? "")?.[1] ?? "";
    found.push({ name: words[at + 1] ?? "", status: STATUS[letter] ?? "modified" });
  }
  const shown = found.slice(0, FILES_MAX);
  const tracked = await trackedNow(git, place);
  const isTracked = (name: string) => tracked?.has(name) ?? false;
  const isGone = shown.some(({ name, status }) => status === "deleted" && !isTracked(name));
  const committed = isGone ? await committedIn(git, trees.head ?? null) : null;
  const files = shown.map(({ name, status }) => {
    const known = status === "deleted" && !isTracked(name) ? committed : tracked;
    return {
      path: nameText(name),
      status,
      ...(lines.get(name) ?? { added: null, removed: null, binary: false }),
      untracked: known && !known.has(name),
    };
  });
  return { files, more: found.length - shown.length };
}

type Lines = Pick<ChangedFile, "added" | "removed" | "binary">;

/** Each word is `added TAB removed TAB name`; a binary file has dashes. */
function linesIn(bytes: string): Map<string, Lines> {
  const entries = bytes.split("\0").flatMap((word): [string, Lines][] => {
    const [, added = "", removed = "", name = ""] = /^([\d-]+)\t([\d-]+)\t([^]+)$/.exec(word) ?? [];
    const binary = added === "-";
    return name === ""
      ? []
      : [[name, { added: binary ? null : Number(added), removed: binary ? null : Number(removed), binary }]];
  });
  return new Map(entries);
}

/** The files of a commit; null when that is not known. */
async function committedIn(git: RecordGit, head: string | null): Promise<ReadonlySet<string> | null> {
  if (!isObjectId(head)) return null;
  const answer = await git.ask(["ls-tree", "-r", "-z", "--full-tree", "--name-only", head], { borrows: true });
  return answer.ended === "done" ? new Set(answer.bytes.split("\0")) : null;
}

/** What the user's repository tracks now; null when its index cannot be read. */
async function trackedNow(git: RecordGit, { repository }: RecordPlace): Promise<ReadonlySet<string> | null> {
  const file = readFileOrNull(pathIn(repository.gitDir, "index"), INDEX_BYTES);
  if (file === null) return null;
  git.put("user-index", [file.bytes]);
  const answer = await git.ask(["ls-files", "-z", "--cached"], { index: "user-index", borrows: true });
  return answer.ended === "done" ? new Set(answer.bytes.split("\0")) : null;
}
