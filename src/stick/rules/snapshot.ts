/** The working tree at a moment of a turn, as the turn record keeps and compares it. */

export interface TreeSnapshot {
  /** Git's id of the tree with exactly the bytes of the files. */
  readonly treeId: string;
  readonly takenAtMs: number;
  /** The commit that was checked out; null before the first one. */
  readonly head: string | null;
  /** At most 50 of the paths that are not in the tree although git would track them. */
  readonly leftOut: readonly LeftOut[];
  readonly leftOutCount: number;
}

export interface LeftOut {
  readonly path: string;
  readonly why: "submodule" | "nested_repository" | "too_large" | "unreadable";
}

/**
 * `too_slow`: the time was over. `unsafe`: the record's directory is not as we made it. `unwritable`: it cannot be
 * written. `changing`: files were replaced while they were read. `pending`: the first snapshot of a tree goes on in the
 * background.
 */
export type SkipReason =
  | "no_git"
  | "not_a_repository"
  | "too_slow"
  | "disk_full"
  | "unwritable"
  | "unsafe"
  | "changing"
  | "pending"
  | "failed";

export const SKIPPED_BECAUSE: Readonly<Record<SkipReason, string>> = {
  no_git: "git is not installed",
  not_a_repository: "the directory is in no git repository",
  too_slow: "it took too long (policy snapshot_max_ms)",
  disk_full: "the disk was full",
  unwritable: "the data directory could not be written",
  unsafe: "the record's directory was changed by another program",
  changing: "files changed while they were read",
  pending: "it is still being taken in the background",
  failed: "git failed",
};

export interface SkippedSnapshot {
  readonly skipped: SkipReason;
}

export type SnapshotOutcome = TreeSnapshot | SkippedSnapshot;

export function isSnapshot(outcome: SnapshotOutcome): outcome is TreeSnapshot {
  return "treeId" in outcome;
}

export type TurnMoment = "begin" | "end";

export interface RecordedPoint {
  readonly turn: number;
  readonly moment: TurnMoment;
}

/** A moment of a turn, as it is kept. */
export interface RecordedMoment {
  readonly outcome: SnapshotOutcome;
  /** Whether it was taken after the moment itself, so that it may have changes from after it. */
  readonly late: boolean;
}

export interface RecordedTurn {
  readonly turn: number;
  readonly begin: RecordedMoment | null;
  readonly end: RecordedMoment | null;
}

export interface ChangedFile {
  readonly path: string;
  readonly status: "added" | "deleted" | "modified" | "type_changed";
  /** Null for binary files, and for a file whose earlier bytes are gone. */
  readonly added: number | null;
  readonly removed: number | null;
  readonly binary: boolean;
  /** Whether git does not track the file in the user's repository, or did not before it was deleted; null: unknown. */
  readonly untracked: boolean | null;
}

export interface TreeComparison {
  readonly files: readonly ChangedFile[];
  /** How many files are not listed. */
  readonly more: number;
}

export interface PatchText {
  readonly text: string;
  /** Whether the patch is longer than what is given. */
  readonly cut: boolean;
  /** Whether bytes of a file are gone, so that the patch ends there. */
  readonly missing: boolean;
}
