/**
 * How a working tree differs from its last commit, and from the commit at which a turn began. Where that cannot be known
 * without running a program of the repository, the answer is null: a filter may make equal what differs here.
 */
import { lstatSync } from "node:fs";
import { findCheckout } from "./git-checkout.ts";
import { isCommitId, readGitHead } from "./git-head.ts";
import type { Gitlink } from "./git-index.ts";
import { pathIn } from "./path-in.ts";
import type { PrivateTree } from "./private-tree.ts";
import type { GitAnswer } from "./run-git.ts";

export interface ComparedTree {
  readonly topLevel: string;
  /** The part of the tree that is looked at. */
  readonly directory: string;
  readonly head: string;
  readonly sinceHead: string | null;
}

export interface TreeChanges {
  readonly dirty: boolean | null;
  readonly diffStat: string | null;
}

const DIFF_STAT_CHARACTERS = 2000;
const DIFF_STAT_BYTES = 1_048_576;
const NAMES_BYTES = 65_536;
const GITLINKS_MAX = 200;
const NONE: ReadonlySet<string> = new Set();
/** The command line wins over every setting: git never starts itself in another repository. */
const NO_SUBMODULES = "--ignore-submodules=all";

export async function compareTree(git: PrivateTree, tree: ComparedTree): Promise<TreeChanges> {
  const gitlinks = git.gitlinks.filter(({ path }) => isBelow(tree.directory, pathIn(tree.topLevel, path)));
  if (gitlinks.length > GITLINKS_MAX) return { dirty: null, diffStat: null };
  const paths = [".", ...gitlinks.map(({ path }) => `:(top,exclude,literal)${path}`)];
  const ask = (maxBytes: number, ...args: string[]) =>
    git.ask([...args, NO_SUBMODULES, "--", ...paths], { maxBytes, cwd: tree.directory });
  const since = tree.sinceHead !== null && isCommitId(tree.sinceHead) ? tree.sinceHead : null;
  const [status, stat, names, moved] = await Promise.all([
    ask(NAMES_BYTES, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal"),
    since && ask(DIFF_STAT_BYTES, "diff", "--stat=100", "--no-color", "--no-ext-diff", "--no-textconv", since),
    since && git.mayFilter ? ask(NAMES_BYTES, "diff", "--name-only", "-z", "--no-renames", since) : null,
    haveMoved(git, tree, gitlinks),
  ]);
  const changes = status && changesIn(status);
  const named = names && !names.cut ? wordsOf(names) : null;
  const filtered = git.mayFilter ? await filteredAmong(git, [...(changes?.modified ?? []), ...(named ?? [])]) : NONE;
  const isStatKnown =
    !git.mayFilter || (named !== null && filtered !== null && !named.some((name) => filtered.has(name)));
  return {
    dirty: changes && isDirty(changes, filtered, moved),
    diffStat: stat && isStatKnown ? cutDiffStat(stat.text.trimEnd(), DIFF_STAT_CHARACTERS) : null,
  };
}

interface Changes {
  /** Whether something is new, deleted, staged or in conflict: no filter makes that undone. */
  readonly isCertain: boolean;
  /** Files whose content is not what is recorded. */
  readonly modified: readonly string[];
}

/** Two letters, for the index and for the working tree, a blank, and the name. */
function changesIn(status: GitAnswer): Changes {
  const lines = wordsOf(status);
  const modified = lines.filter((line) => line.startsWith(" M "));
  return { isCertain: lines.length > modified.length, modified: modified.map((line) => line.slice(3)) };
}

function isDirty(changes: Changes, filtered: ReadonlySet<string> | null, moved: boolean | null): boolean | null {
  const { isCertain, modified } = changes;
  if (isCertain || moved === true) return true;
  if (filtered !== null && modified.some((name) => !filtered.has(name))) return true;
  return modified.length > 0 || moved === null ? null : false;
}

/** Those of the files that a filter would change on their way into the repository; null when that is not known. */
async function filteredAmong(git: PrivateTree, names: readonly string[]): Promise<ReadonlySet<string> | null> {
  if (names.length === 0) return NONE;
  const asked = ["check-attr", "-z", "filter", "--", ...new Set(names)];
  const answer = await git.ask(asked, { maxBytes: 4 * NAMES_BYTES });
  if (answer === null || answer.cut) return null;
  const words = wordsOf(answer);
  const isFiltered = (at: number) => !["unspecified", "unset"].includes(words[at + 2] ?? "");
  return new Set(words.filter((_, at) => at % 3 === 0 && isFiltered(at)));
}

/** Whether a submodule is not at the commit that is recorded for it; null when that is not known. */
async function haveMoved(
  git: PrivateTree,
  { topLevel, head }: ComparedTree,
  gitlinks: readonly Gitlink[],
): Promise<boolean | null> {
  if (gitlinks.length === 0) return false;
  const asked = ["ls-tree", "-z", "--full-tree", head, "--", ...gitlinks.map(({ path }) => path)];
  const answer = await git.ask(asked, { maxBytes: 4 * NAMES_BYTES });
  const recorded = answer && !answer.cut ? new Set(wordsOf(answer)) : null;
  const found = gitlinks.map(({ path, commit, stage }) => {
    if (stage > 0 || (recorded !== null && !recorded.has(`160000 commit ${commit}\t${path}`))) return true;
    return recorded === null ? null : hasMoved(pathIn(topLevel, path), commit);
  });
  return found.includes(true) ? true : found.includes(null) ? null : false;
}

/** By the submodule's files alone. One that was never checked out has not moved. */
function hasMoved(path: string, commit: string): boolean | null {
  const isDirectory = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const checkout = isDirectory ? findCheckout(path, null) : null;
  if (!isDirectory || checkout === null) return true;
  if (checkout.topLevel !== path) return false;
  const head = checkout.repository && readGitHead(checkout.repository).commit;
  return head === null ? null : head !== commit;
}

function isBelow(directory: string, path: string): boolean {
  return path === directory || path.startsWith(pathIn(directory, ""));
}

/** Each ends with a NUL; what was cut off is none. */
function wordsOf({ text }: GitAnswer): string[] {
  return text.split("\0").slice(0, -1);
}

/** Keeps whole lines from the start and the last line, which is the sum, and says how many lie between. */
export function cutDiffStat(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const lines = text.split("\n");
  const sum = lines.pop() ?? "";
  let room = maxCharacters - sum.length - leftOut(lines.length).length - 2;
  let kept = 0;
  for (const line of lines) {
    room -= line.length + 1;
    if (room < 0) break;
    kept += 1;
  }
  return [...lines.slice(0, kept), leftOut(lines.length - kept), sum].join("\n").slice(0, maxCharacters);
}

function leftOut(lines: number): string {
  return ` (${lines} more lines)`;
}
