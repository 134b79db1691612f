/** Turns in words: how each ended, and what it changed as far as that is known. */
import { type LeftOut, SKIPPED_BECAUSE, type SkipReason } from "../../stick/rules/snapshot.ts";
import type { RecordState, TurnLine } from "../../turns/rules/turn-lines.ts";

export const TURN_ENDED: Readonly<Record<NonNullable<TurnLine["ended"]>, string>> = {
  release: "released",
  pass: "passed on",
  takeover: "taken over",
  given: "given on",
  kick: "ended by removing its holder",
  close: "ended by closing the room",
  member_left: "ended when its holder left",
};

/** Why the record does not have a path. */
export const NOT_KEPT: Readonly<Record<LeftOut["why"], string>> = {
  submodule: "a submodule",
  nested_repository: "another repository",
  too_large: "larger than 10 MB",
  unreadable: "it cannot be read",
};

interface TurnChanges extends Pick<TurnLine, "endedAt"> {
  readonly files: number | null;
  readonly added: number | null;
  readonly removed: number | null;
  readonly record: RecordState;
  readonly reason: SkipReason | null;
}

/** What a turn changed, or why that is not known. Null while it goes on: its changes are found only on demand. */
export function changesWords({ files, added, removed, record, reason, endedAt }: TurnChanges): string | null {
  const late = record === "late" ? "; the snapshot was late" : "";
  if (files !== null) return `${files} ${files === 1 ? "file" : "files"}, +${added} −${removed}${late}`;
  if (record === "pending") return "its snapshot is still being taken";
  const why = reason === null ? "" : `: ${SKIPPED_BECAUSE[reason]}`;
  if (record === "skipped") return `its snapshot was skipped${why}`;
  if (record === "end_only") return "its files were kept at its end only";
  return endedAt === null && record !== "none" ? null : `no record of its files${why}`;
}
