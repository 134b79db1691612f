/**
 * From a path to the place it lies in: the directory, the workspace around it, and the project it belongs to.
 */

import { existsSync } from "node:fs";
import { isRefusal } from "../../core/refusal.ts";
import type { Workspace } from "../../engine/ports/workspace.ts";
import { isDirectory, statsOrNull } from "../files/list-names.ts";
import { isWithin, pathIn } from "../files/path-in.ts";
import { realPathOrNull } from "../files/real-place.ts";
import type { Environment } from "../settings/environment.ts";
import { canonicalDirectory } from "./context-path.ts";
import { ancestorsOf, findCheckout, type GitRepository } from "./git-checkout.ts";
import { hasCommit, sharedProjectName } from "./project-name.ts";

export interface WorkspaceOptions {
  readonly home: string | null;
  /** Whether other machines use the same store, so that a path of this one names nothing to them. */
  readonly shared: boolean;
  /** Which machine a path belongs to, where others use the same store. */
  readonly host?: string;
  readonly env?: Environment;
  /** Directories of this user in which git may be given one of ours, where a repository needs a name for others. */
  readonly scratch?: readonly string[];
  /** Files with instructions that only some harness reads: like AGENTS.md, they mark a workspace. */
  readonly guideFiles?: readonly string[];
  /** The kind of network file system at a path, or null; replaced in tests. */
  readonly onNetwork?: (path: string) => string | null;
}

const MARKERS = ["AGENTS.md", "package.json", "pyproject.toml", "Cargo.toml", "go.mod"];

export function createWorkspace(options: WorkspaceOptions): Workspace {
  const home = options.home && realPathOrNull(options.home);
  const forGit = { env: options.env ?? process.env, scratch: options.scratch ?? [] };
  const markers = [...MARKERS, ...(options.guideFiles ?? [])];
  const sharedNames = new Map<string, string>();

  const projectOf = async (topLevel: string, repository: GitRepository): Promise<string> => {
    const { commonDir } = repository;
    if (!options.shared) return commonDir;
    const name = sharedNames.get(commonDir) ?? (await sharedProjectName({ topLevel, repository }, forGit));
    if (name !== null) sharedNames.set(commonDir, name);
    return name ?? onThisMachine(commonDir);
  };
  /** Another machine may have the same path, and something else there. */
  const onThisMachine = (path: string) => (options.shared ? `${options.host ?? "local"}:${path}` : path);

  return {
    async locate(contextPath) {
      const canonicalPath = canonicalDirectory(contextPath, options.onNetwork);
      if (isRefusal(canonicalPath)) return canonicalPath;
      const checkout = findCheckout(canonicalPath, home);
      const workspaceRoot = checkout?.topLevel ?? findMarked(canonicalPath, home, markers) ?? canonicalPath;
      const repository = checkout?.repository ?? null;
      return {
        requestedPath: contextPath,
        canonicalPath,
        workspaceRoot,
        project: repository ? await projectOf(workspaceRoot, repository) : onThisMachine(workspaceRoot),
        candidates: ancestorsOf(canonicalPath).filter((path) => isWithin(workspaceRoot, path)),
      };
    },
    isThere: isDirectory,
    async hadCommit(path, commit, atMs) {
      const checkout = findCheckout(path, home);
      const repository = checkout?.repository;
      if (!checkout || !repository || createdMs(repository.commonDir) > atMs) return false;
      return hasCommit({ ...checkout, repository }, commit, forGit);
    },
  };
}

/** Renaming a directory does not change it. 0 if the file system does not know it. */
function createdMs(path: string): number {
  return statsOrNull(path)?.birthtimeMs ?? 0;
}

/** The nearest directory with a marker file. Those in the home directory are about the user, not about a project. */
function findMarked(path: string, home: string | null, markers: readonly string[]): string | null {
  const marked = ancestorsOf(path).find(
    (directory) =>
      (directory !== home || directory === path) && markers.some((marker) => existsSync(pathIn(directory, marker))),
  );
  return marked ?? null;
}
