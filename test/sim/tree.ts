/** A working tree that is only an idea: one workspace, one folder in it, and no repository. */
import { refuse } from "../../src/domain/refusal.ts";
import type { WorkingTree } from "../../src/ports/working-tree.ts";
import type { Workspace } from "../../src/ports/workspace.ts";

export const TREE = "/work/tree";
export const NESTED = "/work/tree/nested";
export const MISSING = "/work/missing";

export const TREE_WORKSPACE: Workspace = {
  async locate(contextPath) {
    if (contextPath === MISSING) return refuse("invalid_path", "There is no such path.", "Name one that exists.");
    return {
      requestedPath: contextPath,
      canonicalPath: contextPath,
      workspaceRoot: TREE,
      project: TREE,
      candidates: contextPath === TREE ? [TREE] : [contextPath, TREE],
    };
  },
};

export const TREELESS: WorkingTree = { head: () => null, evidence: async () => null };
