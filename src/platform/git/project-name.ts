import { pathIn } from "../files/path-in.ts";
import type { GitCheckout, GitRepository } from "./git-checkout.ts";
import { isCommitId, readGitHead } from "./git-head.ts";
import { readRepositorySettings } from "./git-settings.ts";
import { openPrivateGit, type PrivateGitOptions } from "./private-git.ts";

const BUDGET_MS = 2000;
const TYPE_BYTES = 64;
const ROOTS_BYTES = 65_536;

/**
 * A repository's name that means the same on every machine: where it comes from, else the commit it began
 * with; null when it has neither.
 */
export async function sharedProjectName(
  { topLevel, repository }: GitCheckout & { readonly repository: GitRepository },
  options: Pick<PrivateGitOptions, "env" | "scratch">,
): Promise<string | null> {
  const origin = readRepositorySettings(repository)?.("remote.origin.url") ?? "";
  return normalizedRemote(origin) ?? (await firstCommit(topLevel, repository, options));
}

/** Most often it is the one that is checked out, which the files tell without git. */
export async function hasCommit(
  { topLevel, repository }: GitCheckout & { readonly repository: GitRepository },
  commit: string,
  options: Pick<PrivateGitOptions, "env" | "scratch">,
): Promise<boolean> {
  const head = readGitHead(repository).commit;
  if (head === null || !isCommitId(commit) || head === commit) return head !== null && head === commit;
  const objects = pathIn(repository.commonDir, "objects");
  const git = openPrivateGit({ topLevel, objects, head, tree: null }, { ...options, budgetMs: BUDGET_MS });
  if (!git) return false;
  try {
    return (await git.ask(["cat-file", "-t", commit], { maxBytes: TYPE_BYTES }))?.text.trim() === "commit";
  } finally {
    git.close();
  }
}

/** A shallow clone does not have it. */
async function firstCommit(
  topLevel: string,
  repository: GitRepository,
  options: Pick<PrivateGitOptions, "env" | "scratch">,
): Promise<string | null> {
  const head = readGitHead(repository).commit;
  const objects = pathIn(repository.commonDir, "objects");
  const git = head && openPrivateGit({ topLevel, objects, head, tree: null }, { ...options, budgetMs: BUDGET_MS });
  if (!git) return null;
  try {
    const roots = await git.ask(["rev-list", "--max-parents=0", head], { maxBytes: ROOTS_BYTES });
    // Joined histories have several first commits; any machine must choose the same one.
    const first = roots?.text.split("\n").filter(isCommitId).toSorted()[0];
    return first === undefined ? null : `root-commit:${first}`;
  } finally {
    git.close();
  }
}

/**
 * "git@Example.org:team/app.git" and "https://user:secret@example.org/team/app" are one repository:
 * "example.org/team/app". Scheme, credentials and port say how to reach it, not which it is. A path on the
 * local disk names nothing for another machine and is null.
 */
export function normalizedRemote(remote: string): string | null {
  const byUrl = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/]*@)?(\[[^\]]+\]|[^/:@]+)(?::\d*)?\/(.+)$/i.exec(remote);
  const byScp = /^(?:[^/@]+@)?(\[[^\]]+\]|[^/:@]+):(?!\/\/)(.+)$/.exec(remote);
  const [, host, path] = byUrl ?? byScp ?? [];
  if (host === undefined || path === undefined || /^file:/i.test(remote)) return null;
  const trimmed = path
    .replace(/^\/+/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/i, "")
    .replace(/\/+$/, "");
  return trimmed === "" ? null : `${host.toLowerCase()}/${trimmed}`;
}
