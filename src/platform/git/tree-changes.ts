/**
 * How a working tree differs from its last commit, and from the commit at which a turn began. If only a program of the
 * repository could tell, the answer is null: with a filter, a file may count as equal although its bytes differ.
 */
import { lstatSync } from "node:fs";
import { isWithin, pathIn } from "../files/path-in.ts";
import { findCheckout } from "./git-checkout.ts";
import { isCommitId, readGitHead } from "./git-head.ts";
import type { Gitlink } from "./git-index.ts";
import type { GitAnswer } from "./private-git.ts";
import type { PrivateTree } from "./private-tree.ts";

export interface ComparedTree {
  readonly topLevel: string;
  /** The part of the tree that is looked at. */
  readonly directory: string;
  readonly head: string;
  readonly sinceHead: string | null;
}

export interface TreeChanges {
  readonly dirty: boolean | null;
  /** A directory without tracked files counts once, as git status lists it. */
  readonly untracked: number | null;
  readonly diffStat: string | null;
}

const DIFF_STAT_CHARACTERS = 2000;
const DIFF_STAT_BYTES = 1_048_576;
const NAMES_BYTES = 65_536;
const GITLINKS_MAX = 200;
const STATUS = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal"];
const DIFF_STAT = ["diff", "--stat=100", "--no-color", "--no-ext-diff", "--no-textconv"];
const NONE: ReadonlySet<string> = new Set();
/** An option on the command line overrides every setting, so git never starts itself in another repository. */
const NO_SUBMODULES = "--ignore-submodules=all";

export async function compareTree(git: PrivateTree, tree: ComparedTree): Promise<TreeChanges> {
  const gitlinks = git.gitlinks.filter(({ path }) => isWithin(tree.directory, pathIn(tree.topLevel, path)));
  if (gitlinks.length > GITLINKS_MAX) return { dirty: null, untracked: null, diffStat: null };
  const here = [".", ...gitlinks.map(({ path }) => `:(top,exclude,literal)${path}`)];
  const ask: Ask = (maxBytes, args, paths = here) =>
    git.ask([...args, NO_SUBMODULES, "--", ...paths], { maxBytes, cwd: tree.directory });
  const status = ask(NAMES_BYTES, STATUS).then((answer) => answer && changesIn(answer));
  const since = diffSince(git, ask, tree);
  const [changes, diff, moved] = await Promise.all([
    status,
    // If nothing has changed since the last commit, there is no need to wait for the list of changes.
    tree.sinceHead === tree.head ? status.then((found) => (found?.isAsCommitted ? NO_DIFF : since)) : since,
    haveMoved(git, tree, gitlinks),
  ]);
  const names = [...(changes?.modified ?? []), ...(diff?.names ?? [])];
  const filtered = git.mayFilter ? await filteredAmong(git, names) : NONE;
  const isKnown = diff !== null && filtered !== null && !diff.names.some((name) => filtered.has(name));
  return {
    dirty: changes && isDirty(changes, filtered, moved),
    untracked: changes && changes.untracked,
    diffStat: isKnown ? diff.stat : null,
  };
}

type Ask = (maxBytes: number, args: readonly string[], paths?: readonly string[]) => Promise<GitAnswer | null>;

interface Changes {
  /** Whether a file is new, deleted, staged or in conflict. No filter can hide that. */
  readonly isCertain: boolean;
  /** Files whose content is not what is recorded. */
  readonly modified: readonly string[];
  /** Null when the list was cut. */
  readonly untracked: number | null;
  /** Whether all files that git knows are as in the last commit. */
  readonly isAsCommitted: boolean;
}

/** Each line has two letters, for the index and for the working tree, then a blank and the name. */
function changesIn(status: GitAnswer): Changes {
  const lines = wordsOf(status);
  const modified = lines.filter((line) => line.startsWith(" M "));
  const untracked = lines.filter((line) => line.startsWith("?? ")).length;
  return {
    isCertain: lines.length > modified.length,
    modified: modified.map((line) => line.slice(3)),
    untracked: status.cut ? null : untracked,
    isAsCommitted: !status.cut && lines.length === untracked,
  };
}

interface Diff {
  readonly stat: string;
  /** The files in it; given only where filters are possible. */
  readonly names: readonly string[];
}

const NO_DIFF: Diff = { stat: "", names: [] };

async function diffSince(git: PrivateTree, ask: Ask, { sinceHead }: ComparedTree): Promise<Diff | null> {
  if (sinceHead === null || !isCommitId(sinceHead)) return null;
  const [answer, names] = await Promise.all([
    ask(DIFF_STAT_BYTES, [...DIFF_STAT, sinceHead]),
    git.mayFilter ? ask(NAMES_BYTES, ["diff", "--name-only", "-z", "--no-renames", sinceHead]) : null,
  ]);
  if (answer === null || (git.mayFilter && (names === null || names.cut))) return null;
  return { stat: statOf(answer), names: names ? wordsOf(names) : [] };
}

function statOf({ text }: GitAnswer): string {
  return cutDiffStat(text.trimEnd(), DIFF_STAT_CHARACTERS);
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

/** Reads only the submodule's files. A submodule that was never checked out has not moved. */
function hasMoved(path: string, commit: string): boolean | null {
  const kind = kindOf(path);
  if (kind === "unknown") return null;
  const checkout = kind === "directory" ? findCheckout(path, null) : null;
  if (checkout === null) return true;
  if (checkout.topLevel !== path) return false;
  const head = checkout.repository && readGitHead(checkout.repository).commit;
  return head === null ? null : head !== commit;
}

function kindOf(path: string): "directory" | "other" | "unknown" {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? "directory" : "other";
  } catch {
    // A directory above it cannot be entered.
    return "unknown";
  }
}

/** Each word ends with a NUL. A word that was cut off is left out. */
function wordsOf({ text }: GitAnswer): string[] {
  return text.split("\0").slice(0, -1);
}

/**
 * Keeps whole lines from the start, and the last line, which is the sum. Says how many lines between them are left out.
 */
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
