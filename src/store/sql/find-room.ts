/** Which room a path means: the deepest one among the paths from it up to its workspace. */
import type { RoomId } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import type { ChangeTarget } from "../../engine/ports/store.ts";
import { idOf, text } from "./decode.ts";
import type { SqlRow } from "./statement.ts";

export type PathTarget = Extract<ChangeTarget, { readonly paths: unknown }>;

/** Deepest first. The path a new room would get comes last, so that no path ever has two rooms. */
export function pathsToSearch({ host, paths, otherwise }: PathTarget): readonly string[] {
  invariant(otherwise.host === host, "a room is made on the host that was searched");
  return paths.includes(otherwise.path) ? paths : [...paths, otherwise.path];
}

export function deepestRoom(paths: readonly string[], rows: readonly SqlRow[]): RoomId | null {
  const rooms = new Map(
    rows.map((row) => [text(row["path"], "rooms.path"), idOf<RoomId>()(row["room_id"], "rooms.room_id")]),
  );
  const path = paths.find((candidate) => rooms.has(candidate));
  return (path !== undefined && rooms.get(path)) || null;
}
