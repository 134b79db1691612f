/**
 * What we can verify about a working tree without trusting the caller. The figures are gathered at the
 * same time and within a fixed budget; what is not known by then is null, and nothing here ever throws.
 */
import { lstatSync, type Stats } from "node:fs";
import { resolve } from "node:path";
import type { HandoffEvidence } from "../../core/handoff.ts";
import type { WorkingTree } from "../../engine/ports/working-tree.ts";
import { realPathOrNull } from "../files/real-place.ts";
import type { Environment } from "../settings/environment.ts";
import { findCheckout, type GitCheckout, type GitRepository } from "./git-checkout.ts";
import { readGitHead } from "./git-head.ts";
import { openPrivateTree } from "./private-tree.ts";
import { compareTree } from "./tree-changes.ts";

export interface WorkingTreeOptions {
  readonly home: string | null;
  /** Directories of this user in which git may be given one of ours; the first that can be written is taken. */
  readonly scratch: readonly string[];
  readonly env?: Environment;
  readonly budgetMs?: number;
  readonly gitProgram?: string;
}

const BUDGET_MS = 500;

/** A name that no file can have is not there either. */
function lookAtOrNull(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    // A part of the path is a file, or the name is too long.
    return null;
  }
}

type Checkout = GitCheckout & { readonly repository: GitRepository };

export function createWorkingTree(options: WorkingTreeOptions): WorkingTree {
  const home = options.home && realPathOrNull(options.home);
  const forGit = {
    env: options.env ?? process.env,
    scratch: options.scratch,
    budgetMs: options.budgetMs ?? BUDGET_MS,
    ...(options.gitProgram !== undefined && { gitProgram: options.gitProgram }),
  };

  const checkoutAt = (real: string | null): Checkout | null => {
    const checkout = real === null ? null : findCheckout(real, home);
    return checkout?.repository ? { topLevel: checkout.topLevel, repository: checkout.repository } : null;
  };

  return {
    head(path) {
      const checkout = checkoutAt(realPathOrNull(path));
      return checkout && readGitHead(checkout.repository).commit;
    },

    checkedOut(path) {
      const checkout = checkoutAt(realPathOrNull(path));
      if (checkout === null) return null;
      const { commit, branch } = readGitHead(checkout.repository);
      return { head: commit, branch };
    },

    missing: (path, names) => names.filter((name) => lookAtOrNull(resolve(path, name)) === null),

    async evidence(path, sinceHead): Promise<HandoffEvidence | null> {
      const directory = realPathOrNull(path);
      const checkout = checkoutAt(directory);
      if (directory === null || checkout === null) return null;
      const { commit, branch } = readGitHead(checkout.repository);
      const known = { head: commit, branch, dirty: null, untracked: null, diffStat: null };
      const git = commit === null ? null : openPrivateTree(checkout, commit, forGit);
      if (git === null || commit === null) return known;
      try {
        return {
          ...known,
          ...(await compareTree(git, { topLevel: checkout.topLevel, directory, head: commit, sinceHead })),
        };
      } finally {
        git.close();
      }
    },
  };
}
