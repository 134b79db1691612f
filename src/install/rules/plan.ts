/** What an installation is going to do, and has done, as people and programs are told. */
import { wordNext } from "../../core/next.ts";
import type { Refusal } from "../../core/refusal.ts";

import type { DiffLine } from "./line-diff.ts";

export type FileAction = "make" | "edit" | "replace" | "restore" | "remove" | "keep";

export interface PlannedFile {
  readonly path: string;
  /** `keep`: it is as it should be. */
  readonly action: FileAction;
  /** The keys that are touched; none in a file that is ours as a whole. */
  readonly keys: readonly string[];
  /** What changes in it, without the values of its user. Empty for a file that is ours as a whole. */
  readonly diff: readonly DiffLine[];
  /** What the file is, where its name does not tell. */
  readonly what: string | null;
  /** A copy of the file as it was, when one was kept. */
  readonly backup: string | null;
}

export type HarnessStatus = "planned" | "done" | "unchanged" | "skipped" | "refused";

export interface HarnessOutcome {
  readonly harness: string;
  readonly title: string;
  readonly status: HarnessStatus;
  readonly files: readonly PlannedFile[];
  /** Why it was skipped or refused. */
  readonly reason: string | null;
  readonly next: string | null;
  /** What its user has to know. */
  readonly notes: readonly string[];
}

/** `files`: what is created anyway. */
export function refusedOutcome(
  { name, title }: { readonly name: string; readonly title: string },
  { message, next }: Refusal,
  files: readonly PlannedFile[] = [],
): HarnessOutcome {
  return { harness: name, title, status: "refused", files, reason: message, next: wordNext(next), notes: [] };
}
