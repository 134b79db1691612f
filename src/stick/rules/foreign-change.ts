/** What differs in the tree between the end of a turn and the next grant. */
import { FOREIGN_PATHS, type ForeignWrite, type RoomEvent } from "../../core/event.ts";
import type { ChangedInTurn } from "../../core/handoff.ts";
import { begin, type Decision, record } from "../../room/rules/change.ts";
import type { Room } from "../../room/rules/room.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import type { LeftOut, TreeComparison } from "./snapshot.ts";
import { turnEndBy } from "./turn-end.ts";

/** A lone session pays nothing for the record. */
export function isRecorded({ policy, state }: Pick<Room, "policy" | "state">): boolean {
  return policy.record === "on" || (policy.record === "auto" && state.members.size > 1);
}

export interface ChangeContext {
  /** A path that one of the two snapshots left out did not change for that reason alone. */
  readonly leftOut: readonly LeftOut[];
  /** The room's part of the tree, relative to its top. */
  readonly inside: string;
  /** Paths, relative to the room, whose writers the log names already. */
  readonly known: ReadonlySet<string>;
}

/** Null if nothing in the room's part of the tree differs. */
export function foreignChange(
  { files, more }: TreeComparison,
  { leftOut, inside, known }: ChangeContext,
): ForeignWrite | null {
  const part = inside === "" ? "" : `${inside}/`;
  const isLeftOut = (path: string) => leftOut.some((left) => path === left.path || path.startsWith(`${left.path}/`));
  const paths = files
    .map(({ path }) => path)
    .filter((path) => path.startsWith(part) && !isLeftOut(path))
    .map((path) => path.slice(part.length))
    .filter((path) => !known.has(path));
  if (paths.length === 0) return null;
  const hidden = Math.max(0, paths.length - FOREIGN_PATHS) + more;
  return { paths: paths.slice(0, FOREIGN_PATHS), more: hidden, evidence: "comparison", duringTurn: null };
}

/** What agents wrote without the stick since the last turn ended, as far as the log names them. */
export function attributedPaths(events: readonly RoomEvent[]): ReadonlySet<string> {
  const lastEnd = events.findLast((event) => turnEndBy(event) !== null)?.seq ?? 0;
  const writes = events.flatMap((event) =>
    event.type === "foreign_write" && event.seq > lastEnd && event.fromAgentId !== null ? event.payload.paths : [],
  );
  return new Set(writes);
}

/** What a handoff says about the changes of its turn. */
export function changedInTurn({ files, more }: TreeComparison): ChangedInTurn {
  const told = files.slice(0, FOREIGN_PATHS).map(({ path, added, removed }) => ({ path, added, removed }));
  return { files: told, more: files.length - told.length + more };
}

/** No evidence names the writer: it may be a person, and a person's edits are never wrong. */
export function reportChange(room: Room, given: Given, found: ForeignWrite): Decision<true> {
  return { change: record(begin(room), given, "foreign_write", found, { from: null }), answer: true };
}
