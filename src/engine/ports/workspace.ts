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

  /** Whether a directory is there now. */
  isThere(path: string): boolean;

  /**
   * Whether the repository around a directory has a commit, and was there at a wall time. False if the first cannot be
   * told; a file system that does not know when a directory was created does not speak against the second.
   */
  hadCommit(path: string, commit: string, atMs: number): Promise<boolean>;
}
