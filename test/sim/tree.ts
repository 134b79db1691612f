/** A working tree that is only an idea: one workspace, one folder in it, and no repository. */
import { refuse } from "../../src/core/refusal.ts";
import type { WorkingTree } from "../../src/engine/ports/working-tree.ts";
import type { Workspace } from "../../src/engine/ports/workspace.ts";

export interface Tree {
  readonly root: string;
  readonly nested: string;
  readonly missing: string;
  readonly workspace: Workspace;
}

/** Trees of different names share nothing, so that many worlds can live in one store. */
export function treeNamed(name: string): Tree {
  const [root, nested, missing] = [`/projects/${name}`, `/projects/${name}/nested`, `/projects/${name}/missing`];
  const workspace: Workspace = {
    async locate(contextPath) {
      if (contextPath === missing) return refuse("invalid_path", "There is no such path.", "Name one that exists.");
      const candidates = contextPath === root ? [root] : [contextPath, root];
      return {
        requestedPath: contextPath,
        canonicalPath: contextPath,
        workspaceRoot: root,
        project: root,
        candidates,
      };
    },
    isThere: () => true,
    hadCommit: async () => false,
  };
  return { root, nested, missing, workspace };
}

const CHECKED_OUT = { head: "c0ffee", branch: "main" };

/** A repository in which nothing ever changes. */
export const REPOSITORY: WorkingTree = {
  head: () => CHECKED_OUT.head,
  checkedOut: () => CHECKED_OUT,
  evidence: async () => ({ ...CHECKED_OUT, dirty: false, untracked: 0, diffStat: "" }),
  missing: () => [],
};
