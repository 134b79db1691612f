import type { Environment } from "./environment.ts";
import { isCommitId } from "./git-head.ts";
import { runGit } from "./run-git.ts";

const TIMEOUT_MS = 2000;

/**
 * A repository's name that means the same on every machine: where it comes from, else the commit it began
 * with; null when it has neither.
 */
export async function sharedProjectName(path: string, env: Environment): Promise<string | null> {
  const ask = (...args: string[]) => runGit({ cwd: path, args, env, timeoutMs: TIMEOUT_MS, maxBytes: 65_536 });
  const origin = await ask("config", "--get", "remote.origin.url");
  const name = origin && normalizedRemote(origin.text.trim());
  if (name) return name;
  const roots = await ask("rev-list", "--max-parents=0", "HEAD");
  // Joined histories have several first commits; any machine must choose the same one.
  const first = roots?.text.split("\n").filter(isCommitId).toSorted()[0];
  return first === undefined ? null : `root-commit:${first}`;
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
