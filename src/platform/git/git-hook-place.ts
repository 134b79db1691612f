/** Where a hook of git runs. Git starts it at the top of the working tree and says in the environment what differs. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { homeDirectory } from "../files/home-directory.ts";
import { isWithin, pathIn } from "../files/path-in.ts";
import { realPathOrNull } from "../files/real-place.ts";
import type { Environment } from "../settings/environment.ts";
import { findCheckout } from "./git-checkout.ts";

export interface GitHookPlace {
  /** Where git was started, in the working tree that it works on; in a bare repository, the repository. */
  readonly directory: string;
  /** A merge, rebase, cherry-pick or revert is under way, or git has put changed files aside for a rebase. */
  readonly isMidway: boolean;
}

const MARKS = ["MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer"];

/** Null if the directory has vanished. */
export function lookAroundGitHook(env: Environment): GitHookPlace | null {
  const top = realPathOrNull(".");
  if (top === null) return null;
  const below = realPathOrNull(resolve(top, env["GIT_PREFIX"] ?? ""));
  const gitDir = gitDirectoryAt(top, env);
  return {
    // A prefix that leads out of the tree is none of git's.
    directory: below !== null && isWithin(top, below) ? below : top,
    isMidway: gitDir === null || MARKS.some((name) => existsSync(pathIn(gitDir, name))),
  };
}

function gitDirectoryAt(top: string, env: Environment): string | null {
  const named = env["GIT_DIR"];
  if (named) return resolve(top, named);
  const home = homeDirectory(env);
  return findCheckout(top, home && realPathOrNull(home))?.repository?.gitDir ?? null;
}
