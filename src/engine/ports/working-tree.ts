import type { HandoffEvidence } from "../../core/handoff.ts";

/**
 * What can be verified about a room's working tree. Bounded in time and never an error: no answer is null. A repository is
 * data: where only a program that it names could tell, the answer is null, too.
 */
export interface WorkingTree {
  /** The commit checked out, read from files alone. */
  head(path: string): string | null;
  /**
   * Head, branch, dirty or not, the number of untracked files, and the changes since `sinceHead`. Null where there is no
   * repository.
   */
  evidence(path: string, sinceHead: string | null): Promise<HandoffEvidence | null>;
}
