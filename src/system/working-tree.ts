/**
 * What we can verify about a working tree without trusting anybody's word. The figures are gathered at the
 * same time and within a fixed budget; what is not known by then is null, and nothing here ever throws.
 */
import { realpathSync } from "node:fs";
import type { HandoffEvidence } from "../domain/handoff.ts";
import type { WorkingTree } from "../ports/working-tree.ts";
import type { Environment } from "./environment.ts";
import { findCheckout, type GitRepository } from "./git-checkout.ts";
import { isCommitId, readGitHead } from "./git-head.ts";
import { type GitAnswer, runGit } from "./run-git.ts";

export interface WorkingTreeOptions {
  readonly home: string | null;
  readonly env?: Environment;
  readonly budgetMs?: number;
  readonly gitProgram?: string;
}

const BUDGET_MS = 500;
const DIFF_STAT_CHARACTERS = 2000;
const DIFF_STAT_BYTES = 1_048_576;

export function createWorkingTree(options: WorkingTreeOptions): WorkingTree {
  const home = options.home === null ? null : realPathOrNull(options.home);

  const repositoryOf = (path: string): GitRepository | null => {
    const real = realPathOrNull(path);
    return real === null ? null : (findCheckout(real, home)?.repository ?? null);
  };

  const ask = (path: string, maxBytes: number, args: readonly string[]): Promise<GitAnswer | null> =>
    runGit({
      cwd: path,
      args,
      maxBytes,
      env: options.env ?? process.env,
      timeoutMs: options.budgetMs ?? BUDGET_MS,
      ...(options.gitProgram !== undefined && { program: options.gitProgram }),
    });

  return {
    head(path) {
      const repository = repositoryOf(path);
      return repository && readGitHead(repository).commit;
    },

    async evidence(path, sinceHead): Promise<HandoffEvidence | null> {
      const repository = repositoryOf(path);
      if (repository === null) return null;
      const onDisk = readGitHead(repository);
      const [head, branch, status, diff] = await Promise.all([
        // Each child costs milliseconds, so git is asked only about a repository whose files we cannot read.
        onDisk.commit ?? ask(path, 256, ["rev-parse", "--verify", "--quiet", "HEAD"]).then(wordOf),
        onDisk.commit === null
          ? ask(path, 4096, ["symbolic-ref", "--short", "--quiet", "HEAD"]).then(wordOf)
          : onDisk.branch,
        // One changed file is enough to know, so git is stopped at the first line it prints.
        ask(path, 0, ["status", "--porcelain", "--ignore-submodules=dirty", "--", "."]),
        sinceHead !== null && isCommitId(sinceHead) ? ask(path, DIFF_STAT_BYTES, diffStatArgs(sinceHead)) : null,
      ]);
      return {
        head,
        branch: branch ?? onDisk.branch,
        dirty: status && status.cut,
        diffStat: diff && cutDiffStat(diff.text.trimEnd(), DIFF_STAT_CHARACTERS),
      };
    },
  };
}

function wordOf(answer: GitAnswer | null): string | null {
  return answer?.text.trim() || null;
}

function diffStatArgs(sinceHead: string): string[] {
  const quiet = ["--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"];
  return ["diff", "--stat=100", ...quiet, sinceHead, "--", "."];
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

function realPathOrNull(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    // A path that is not there has no repository.
    return null;
  }
}
