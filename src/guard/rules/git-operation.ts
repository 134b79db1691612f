/**
 * What the guard may do about a change of refs. It refuses only where git has changed nothing yet and undoes the rest
 * itself, so that a refusal leaves HEAD, index, files and refs as they were. A command that is not in this table, and one
 * that belongs to a longer work of git, is never refused.
 *
 *   commit                     at its branch; not skipped by --no-verify
 *   branch, tag                at their refs. `branch -m` has moved the log of the branch by then
 *   update-ref, symbolic-ref   at any ref; git before 2.47 does not ask about symbolic-ref
 *   stash push, stash clear    at refs/stash. `stash drop` has emptied the log of the stash by then
 *   reset --soft               at ORIG_HEAD and at the branch, unless a cherry-pick or revert is under way
 *   merge, pull, am            at ORIG_HEAD, the first of all. Later the files have changed, as with `merge --abort`
 *   rebase                     before it begins, unless git has put changed files aside by then
 */
import type { GitCommand } from "./git-command.ts";

export interface RefUpdate {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

export type GitHookCall =
  | {
      readonly hook: "reference-transaction";
      /** Git also says `preparing` and `aborted`, when there is nothing to do. */
      readonly state: "prepared" | "committed";
      readonly updates: readonly RefUpdate[];
      /** There were more refs than we read. */
      readonly isCut: boolean;
    }
  | { readonly hook: "pre-rebase" };

export interface GitStep {
  readonly call: GitHookCall;
  /** The nearest first. */
  readonly commands: readonly GitCommand[];
  /** A longer work of git has begun here: a merge, rebase, cherry-pick or revert. */
  readonly isMidway: boolean;
}

type Refs = readonly RefUpdate[];

/** Verbs of git that do several things, or run the hooks and scripts of a project. What they start is theirs. */
const LONGER_WORKS = new Set(
  `am archimport bisect bisect--helper checkout cherry-pick citool clone commit cvsimport difftool fast-import fetch
  filter-branch for-each-repo gc gui hook instaweb maintenance merge merge-one-file mergetool p4 pull push quiltimport
  rebase receive-pack remote request-pull reset restore revert send-email stash submodule submodule--helper subtree svn
  switch worktree`.split(/\s+/),
);

/** Whether a refusal now leaves everything as it was. */
export function isRefusable({ call, commands, isMidway }: GitStep): boolean {
  const [command, above, ...others] = commands;
  if (!command || command.isOther || command.verb === null || others.length > (above?.verb === "pull" ? 1 : 0))
    return false;
  const { verb, words } = command;
  if (above && !mayStart(above, command, others[0])) return false;
  if (call.hook === "pre-rebase") return verb === "rebase" && !isMidway;
  const { state, updates, isCut } = call;
  if (state !== "prepared" || isCut || updates.length === 0) return false;
  if (verb === "merge") return !isMidway && isOrigHead(updates);
  if (verb === "reset") return words.includes("--soft") && !isMidway && (isOrigHead(updates) || areBranch(updates));
  return REFUSABLE[verb]?.(updates, words) ?? false;
}

/** By verb: whether git asks early enough about these refs. */
const REFUSABLE: Readonly<Record<string, (updates: Refs, words: readonly string[]) => boolean>> = {
  commit: areBranch,
  branch: (updates, words) => areAllIn("refs/heads/", updates) && !words.some(movesOrCopies),
  tag: (updates) => areAllIn("refs/tags/", updates),
  "update-ref": () => true,
  "symbolic-ref": () => true,
  stash: (updates, words) => isOnly("refs/stash", updates) && isPushOrClear(words),
  am: isOrigHead,
};

/** `git pull` starts `git merge` or `git rebase`; an alias starts what it stands for, also `git pull`. */
function mayStart(above: GitCommand, command: GitCommand, top: GitCommand | undefined): boolean {
  if (!command.isChild || above.isOther || above.verb === null) return false;
  if (above.verb !== "pull") return !LONGER_WORKS.has(above.verb);
  const isPart = command.verb === "merge" || command.verb === "rebase";
  return isPart && (top === undefined || (above.isChild && isAlias(top)));
}

function isAlias({ verb, isOther }: GitCommand): boolean {
  return !isOther && verb !== null && !LONGER_WORKS.has(verb);
}

function areBranch(updates: Refs): boolean {
  return updates.every(({ name }) => name === "HEAD" || name.startsWith("refs/heads/"));
}

function areAllIn(place: string, updates: Refs): boolean {
  return updates.every(({ name }) => name.startsWith(place));
}

function isOnly(name: string, updates: Refs): boolean {
  return updates.length === 1 && updates[0]?.name === name;
}

function isOrigHead(updates: Refs): boolean {
  return isOnly("ORIG_HEAD", updates);
}

/** Also as one letter of several, or cut short. */
function movesOrCopies(word: string): boolean {
  return /^-[a-z]*[mc]/i.test(word) || /^--[mc]/.test(word);
}

/** Without a word, or with options alone, `git stash` pushes. */
function isPushOrClear([first = "push"]: readonly string[]): boolean {
  return first.startsWith("-") || ["push", "save", "clear"].includes(first);
}

/** Verbs that only bring refs up to date, or store them in another way: no agent works on the project with them. */
const UPKEEP = new Set(
  `bisect bisect--helper clone fetch for-each-repo gc maintenance pack-refs push receive-pack reflog refs remote
  repack upload-pack worktree`.split(/\s+/),
);

/** The refs of the project that the agent has changed; empty if it has changed none. */
export function changedRefs({ call, commands }: GitStep): readonly string[] {
  if (call.hook !== "reference-transaction" || call.state !== "committed") return [];
  // A command that is not seen may be any of them.
  if (commands.length === 0 || commands.some(({ verb }) => verb !== null && UPKEEP.has(verb))) return [];
  const isRebase = commands.some(({ verb }) => verb === "rebase");
  const names = call.updates
    .filter(({ before, after }) => before !== after || /^0*$/.test(after))
    .map(({ name }) => name)
    // A rebase moves HEAD with each commit, and the branch once, at its end.
    .filter((name) => /^refs\/(?:heads|tags)\/|^refs\/stash$/.test(name) || (name === "HEAD" && !isRebase));
  return [...new Set(names)];
}

const UPDATE = /^(\S+) (\S+) (.+)$/;

/** What git writes to its hook: a line for each ref. */
export function refUpdatesIn(text: string): readonly RefUpdate[] {
  return text.split("\n").flatMap((line) => {
    const [, before = "", after = "", name = ""] = UPDATE.exec(line) ?? [];
    return name === "" ? [] : [{ before, after, name }];
  });
}
