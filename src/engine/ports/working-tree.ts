/** What we see of a room's working tree, and what the turn record keeps of it. */
import type { CheckedOut, HandoffEvidence } from "../../core/handoff.ts";
import type {
  PatchText,
  RecordedMoment,
  RecordedPoint,
  RecordedTurn,
  SkipReason,
  SnapshotOutcome,
  TreeComparison,
  TreeSnapshot,
} from "../../stick/rules/snapshot.ts";

/**
 * What can be verified about a room's working tree. Bounded in time and never an error: no answer is null. A repository is
 * data: where only a program that it names could tell, the answer is null, too.
 */
export interface WorkingTree {
  /** The commit checked out, read from files alone. */
  head(path: string): string | null;
  /** Head and branch, read from files alone. Null where there is no repository. */
  checkedOut(path: string): CheckedOut | null;
  /**
   * Head, branch, dirty or not, the number of untracked files, and the changes since `sinceHead`. Null where there is no
   * repository.
   */
  evidence(path: string, sinceHead: string | null): Promise<HandoffEvidence | null>;
  /** Those of the names, relative to `path` or absolute, that are not there. */
  missing(path: string, names: readonly string[]): readonly string[];
}

/** The room whose record is meant: its id, and a path in its working tree. */
export interface RecordedRoom {
  readonly roomId: string;
  readonly path: string;
}

/**
 * `missing`: the repository's own clean-up removed the bytes. `damaged`: the bytes in the record are not those of the
 * file. `in_the_way`: a directory or an ignored file is there, or a link or file where the path has a directory.
 * `other_repository`: the path lies in another repository. `left_out`: the record does not know what is or was there.
 */
export type UnrestoredReason =
  | "missing"
  | "damaged"
  | "in_the_way"
  | "other_repository"
  | "forbidden"
  | "disk_full"
  | "left_out";

export interface RestoredPaths {
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  readonly failed: readonly { readonly path: string; readonly why: UnrestoredReason }[];
  /** What the paths contained before; null if there was nothing to change. */
  readonly kept: KeptTree | null;
}

/** The tree before a restore. */
export interface KeptTree {
  /** By which a person or an agent names it. */
  readonly name: string;
  readonly tree: TreeSnapshot;
}

/** Why nothing was restored. */
export type RestoreObstacle =
  | { readonly obstacle: "newer_changes"; readonly changes: TreeComparison }
  | { readonly obstacle: "no_such_path"; readonly path: string }
  | { readonly obstacle: "not_allowed" }
  | { readonly obstacle: "no_snapshot"; readonly skipped: SkipReason };

export interface WantedPaths {
  /** Relative to the top of the working tree. The empty path is all of it. */
  readonly paths: readonly string[];
  /** Whether to overwrite what is not as in the tree. */
  readonly force: boolean;
  /** Asked last, right before the first write: the snapshot takes time, and the stick may have moved since. */
  readonly mayWrite: () => Promise<boolean>;
}

export interface SnapshotOptions {
  readonly budgetMs: number;
}

export interface RecordLimits {
  readonly maxBytes: number;
  readonly keepDays: number;
}

export interface PrunedRecord {
  readonly turns: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/**
 * The turn record: what the working tree of a room contained when a turn began and when it ended. It lies beside the
 * store. A snapshot changes nothing in the user's repository. Nothing here throws: a failure is an answer.
 */
export interface TurnRecord {
  snapshot(path: string, options: SnapshotOptions): Promise<SnapshotOutcome>;
  /** Why there can be no snapshot of this path; null if there can be one. */
  obstacleAt(path: string): SkipReason | null;
  /**
   * After `pending`: takes the snapshot in the background and keeps it, as a late one, for these moments. False when
   * nothing can run in the background.
   */
  finishLater(room: RecordedRoom, moments: readonly RecordedPoint[]): boolean;
  /** Keeps one moment of a turn. False when it could not be written. */
  keep(room: RecordedRoom, point: RecordedPoint, recorded: RecordedMoment): boolean;
  /** By number; empty where there is no record. */
  turnsOf(room: RecordedRoom): readonly RecordedTurn[];
  /** One of them, without reading the others. */
  turnOf(room: RecordedRoom, turn: number): RecordedTurn;
  /** A path as the record names it, relative to the top of the working tree around `path`; null outside of it. */
  nameOf(path: string, wanted: string): string | null;
  /** Null when a tree is not known any more. `head`: the commit that was checked out at `from`. */
  changes(path: string, from: string, to: string, head?: string | null): Promise<TreeComparison | null>;
  /** `paths` are relative to the top of the working tree. */
  diff(path: string, from: string, to: string, paths?: readonly string[]): Promise<PatchText | null>;
  /** Gives the named paths the content that they have in a tree, and deletes those that it does not have. */
  restore(room: RecordedRoom, target: TreeSnapshot, wanted: WantedPaths): Promise<RestoredPaths | RestoreObstacle>;
  /** What restores have overwritten, the newest first. */
  keptOf(room: RecordedRoom): readonly KeptTree[];
  prune(limits: RecordLimits): Promise<PrunedRecord>;
  /** The same in the background; nothing if no process can be started for it. */
  pruneLater(limits: RecordLimits): void;
}
