/**
 * Takes a snapshot of a working tree in four steps: git lists the paths that differ from our index, we sort them, git
 * reads the changed files into the record, and git writes the tree. Tracked and untracked files are in it, ignored ones
 * are not. Git is never told of a directory that is another repository, so no gitlink gets into our index, and git never
 * starts itself in there.
 */
import { statSync } from "node:fs";
import type { LeftOut, SkippedSnapshot, SkipReason, SnapshotOutcome } from "../../../stick/rules/snapshot.ts";
import { readFileOrNull } from "../../files/bounded-read.ts";
import { listNames } from "../../files/list-names.ts";
import { pathIn } from "../../files/path-in.ts";
import { errorCode } from "../../files/system-error.ts";
import { readGitHead } from "../git-head.ts";
import { borrowObjects } from "./borrow-objects.ts";
import { type LeftOutBytes, type ListedPaths, nameText, sortListed } from "./listed-paths.ts";
import {
  openRecordGit,
  type RecordAnswer,
  type RecordGit,
  type RecordGitOptions,
  userExcludesFile,
} from "./record-git.ts";
import { isObjectId, isSafeRecord, prepareRecord, type RecordPlace } from "./record-place.ts";
import { loadTreeState, saveTreeState } from "./tree-state.ts";

const LEFT_OUT_MAX = 50;
const INDEX_BYTES = 512 * 1024 * 1024;
const LIST = ["ls-files", "-z", "-t", "--modified", "--deleted", "--others", "--exclude-standard"];
const IGNORED = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"];
const UPDATE = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"];
const REMOVE = ["update-index", "-z", "--force-remove", "--stdin"];
const USER_INDEX = "user-index";

/** A step that cannot go on says why. */
class Skip extends Error {
  readonly reason: SkipReason;

  constructor(reason: SkipReason) {
    super(reason);
    this.reason = reason;
  }
}

export async function takeSnapshot(
  place: RecordPlace,
  options: RecordGitOptions,
  budgetMs: number,
): Promise<SnapshotOutcome> {
  let git: RecordGit | null = null;
  try {
    prepareRecord(place.directory);
    if (!isSafeRecord(place.directory)) return { skipped: "unsafe" };
    git = openRecordGit(place, options, { budgetMs, withTree: true });
    if (git === null) return { skipped: "no_git" };
    return await snapshotWith(git, place, options);
  } catch (error) {
    return skippedBy(error);
  } finally {
    git?.close();
  }
}

async function snapshotWith(git: RecordGit, place: RecordPlace, options: RecordGitOptions): Promise<SnapshotOutcome> {
  const state = loadTreeState(place);
  if (state) git.put("index", state.index, state.indexTimeMs);
  const takenAtMs = Date.now();
  const { commit: head } = readGitHead(place.repository);
  const rules = ignoreRules(place, options);
  let listed = await list(git, place);
  if (state === null && (await borrowObjects(git, place, listed.update))) listed = await list(git, place);
  const isUpdated = await update(git, listed);
  // A file may be tracked although a rule ignores it, and a new rule may ignore what we have.
  const mayDiffer = state?.rules !== rules || listed.update.some((name) => name.endsWith(".gitignore"));
  const isFollowed = mayDiffer && (await followTracked(git, place));
  const treeId = state && !isUpdated && !isFollowed ? state.treeId : await writeTree(git);
  if (isUpdated || isFollowed || state?.rules !== rules) {
    saveTreeState(place, { treeId, rules, indexPath: git.path("index") });
  }
  const leftOut = await withSubmodules(git, place, listed.leftOut);
  return { treeId, takenAtMs, head, leftOut: leftOut.slice(0, LEFT_OUT_MAX), leftOutCount: leftOut.length };
}

async function list(git: RecordGit, { topLevel }: RecordPlace): Promise<ListedPaths> {
  const { bytes, errors } = done(await git.ask(LIST));
  return sortListed(topLevel, bytes, errors);
}

/** Whether our index has changed. */
async function update(git: RecordGit, { update: read, drop }: Pick<ListedPaths, "update" | "drop">): Promise<boolean> {
  if (drop.length > 0) done(await git.ask(REMOVE, { input: lines(drop) }));
  if (read.length > 0) done(await git.ask(UPDATE, { input: lines(read) }));
  return drop.length + read.length > 0;
}

/** Reads files that the user's repository tracks although they are ignored, and drops ignored ones that it does not. */
async function followTracked(git: RecordGit, { repository, topLevel }: RecordPlace): Promise<boolean> {
  if (!copyUserIndex(git, repository.gitDir)) return false;
  const [wanted, own] = await Promise.all([git.ask(IGNORED, { index: USER_INDEX, borrows: true }), git.ask(IGNORED)]);
  // An index that git cannot read without its configuration says nothing.
  if (wanted.ended !== "done") return false;
  const tracked = new Set(namesIn(wanted.bytes));
  const kept = new Set(namesIn(done(own).bytes));
  const listing = [...tracked].filter((name) => !kept.has(name)).map((name) => `? ${name}\0`);
  const { update: read } = sortListed(topLevel, listing.join(""), "");
  return update(git, { update: read, drop: [...kept].filter((name) => !tracked.has(name)) });
}

/** With the part that a split index shares with others. */
function copyUserIndex(git: RecordGit, gitDir: string): boolean {
  const shared = listNames(gitDir).filter((name) => /^sharedindex\.[0-9a-f]+$/.test(name));
  const files = [["index", USER_INDEX], ...shared.map((name) => [name, name])] as const;
  return files.every(([from = "", to = ""]) => {
    const file = readFileOrNull(pathIn(gitDir, from), INDEX_BYTES);
    if (file) git.put(to, [file.bytes]);
    return file !== null;
  });
}

async function writeTree(git: RecordGit): Promise<string> {
  // Objects of unchanged files may lie in the user's repository, which git does not see here.
  const treeId = done(await git.ask(["write-tree", "--missing-ok"])).bytes.trim();
  if (!isObjectId(treeId)) throw new Skip("failed");
  return treeId;
}

/** Tells submodules from other repositories inside of the tree. */
async function withSubmodules(
  git: RecordGit,
  { repository }: RecordPlace,
  leftOut: readonly LeftOutBytes[],
): Promise<readonly LeftOut[]> {
  const hasNested = leftOut.some(({ why }) => why === "nested_repository");
  const isCopied = hasNested && (isThere(git.path(USER_INDEX)) || copyUserIndex(git, repository.gitDir));
  const answer = isCopied ? await git.ask(["ls-files", "-z", "--stage"], { index: USER_INDEX, borrows: true }) : null;
  const stages = answer?.ended === "done" ? namesIn(answer.bytes) : [];
  const gitlinks = new Set(stages.filter((line) => line.startsWith("160000 ")).map((line) => line.split("\t")[1]));
  return leftOut.map(({ name, why }) => ({
    path: nameText(name),
    why: why === "nested_repository" && gitlinks.has(name) ? "submodule" : why,
  }));
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Changes when a list of ignored files outside of the tree does, or the list of tracked files. */
function ignoreRules(place: RecordPlace, { env }: RecordGitOptions): string {
  const { gitDir, commonDir } = place.repository;
  const files = [pathIn(gitDir, "index"), pathIn(commonDir, "info/exclude"), userExcludesFile(place, env)];
  return files.map((file) => (file === null ? "" : stampOf(file))).join(" ");
}

function stampOf(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${ino}.${size}.${mtimeMs}`;
  } catch {
    // Missing or out of reach, which git takes for missing, too.
    return "-";
  }
}

type Done = Extract<RecordAnswer, { readonly ended: "done" }>;

function done(answer: RecordAnswer): Done {
  if (answer.ended === "done") return answer;
  throw new Skip(answer.ended === "failed" ? reasonIn(answer.errors) : answer.ended);
}

/** Git says so in English, because its language is set. */
function reasonIn(errors: string): SkipReason {
  if (/No space left|Disk quota exceeded|File too large/.test(errors)) return "disk_full";
  if (/Permission denied|Read-only file system|insufficient permission/.test(errors)) return "unwritable";
  return /short read|unable to stat|unable to index|Unable to process|does not exist|is a directory/.test(errors)
    ? "changing"
    : "failed";
}

function skippedBy(error: unknown): SkippedSnapshot {
  if (error instanceof Skip) return { skipped: error.reason };
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = errorCode(error) || errorCode(cause);
  if (["ENOSPC", "EDQUOT", "EFBIG", "store_full"].includes(code)) return { skipped: "disk_full" };
  if (code === "") return { skipped: "failed" };
  return { skipped: code === "store_unsafe" ? "unsafe" : "unwritable" };
}

function lines(names: readonly string[]): string {
  return names.map((name) => `${name}\0`).join("");
}

function namesIn(bytes: string): string[] {
  return bytes.split("\0").slice(0, -1);
}
