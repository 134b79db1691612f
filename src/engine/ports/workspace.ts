import type { Refusal } from "../../core/refusal.ts";

/** Where a path lies: what a room would cover and which project it belongs to. */
export interface Place {
  readonly requestedPath: string;
  /** Absolute, a directory, without symlinks. */
  readonly canonicalPath: string;
  readonly workspaceRoot: string;
  readonly project: string;
  /** From `canonicalPath` up to `workspaceRoot`, deepest first. */
  readonly candidates: readonly string[];
}

export interface Workspace {
  locate(contextPath: string): Promise<Place | Refusal<"invalid_path">>;
}
