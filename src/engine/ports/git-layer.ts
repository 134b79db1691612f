/** The hooks of a repository by which git asks the guard before an agent changes refs. */
import type { Refusal } from "../../core/refusal.ts";

export interface GitLayer {
  /** Changes nothing. */
  plan(path: string): Promise<GitLayerPlan>;
  /** Does what the plan of this moment says, and returns that plan. */
  install(path: string): Promise<GitLayerPlan | Refusal>;
  /** The paths that were put back or removed. */
  remove(path: string): Promise<readonly string[] | Refusal>;
  /** What was written and not removed since, as far as it is recorded. */
  recorded(): readonly RecordedLayer[];
  /** Removes it in every repository that has a record. */
  removeAll(): RemovedLayers | Refusal;
  inspect(path: string): Promise<GitLayerState>;
}

export interface RecordedLayer {
  /** The directory that all working trees of the repository share. */
  readonly repository: string;
  readonly paths: readonly string[];
}

export interface RemovedLayers {
  /** The paths that were put back or removed. */
  readonly restored: readonly string[];
  /** Why it did not work in some repositories; they stay in the records. */
  readonly failed: readonly Refusal[];
}

export interface GitLayerState {
  /** `partly`: some of it is missing or of another version. */
  readonly status: "in_place" | "partly" | "absent" | "impossible";
  readonly plan: GitLayerPlan;
}

/** What becomes of a file. */
export interface GitLayerWrite {
  readonly path: string;
  /**
   * `make`: a new file. `add`: lines in a file of the project's or of git's. `chain`: a file of ours takes the place of a
   * hook that moves to `movedTo`. `replace`: a newer text of ours. `keep`: it is as it should be.
   */
  readonly action: "make" | "add" | "chain" | "replace" | "keep";
  /** The whole file, or the lines that are added. */
  readonly text: string;
  readonly movedTo: string | null;
}

export interface GitLayerPlan {
  /** `hole`: nothing can be written here, and `holes` say why. */
  readonly kind: "config" | "file" | "hole";
  /** Where it is written; null for a hole. */
  readonly place: "config" | "hooks" | "husky" | null;
  /** The directory that all working trees of the repository share; null if there is none. */
  readonly repository: string | null;
  readonly gitVersion: string | null;
  readonly writes: readonly GitLayerWrite[];
  /** What git will not ask about here, each as a sentence. */
  readonly holes: readonly string[];
}
