import { optional, shaped } from "../core/field.ts";
import { LIMITS } from "../core/limits.ts";
import { invalidInput, isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import { operation } from "../engine/operation.ts";
import type { TurnRecord } from "../engine/ports/working-tree.ts";
import type { Room } from "../room/rules/room.ts";
import { TURN } from "./show-turn.ts";
import { findTurn, noSnapshot, treeAt, treeAtEnd } from "./turn-trees.ts";

const MOST_PATHS = 1000;

function isPath(one: unknown): boolean {
  return typeof one === "string" && one.length <= LIMITS.pathCharacters && !one.includes("\0");
}

/** Relative to the caller's directory. */
export const PATHS = shaped<readonly string[]>(
  { type: "array", items: { type: "string" }, maxItems: MOST_PATHS },
  (name, raw) => {
    if (Array.isArray(raw) && raw.length <= MOST_PATHS && raw.every(isPath)) return raw;
    return invalidInput(name, `${name} is not a list of paths.`, "Give paths, such as src/parser.ts.");
  },
);

export const diffTurn = operation({
  name: "diff_turn",
  summary: "What a turn changed, as a patch: of the present turn by default, of some paths on demand.",
  needs: { store: "read", caller: "anyone", room: "existing" },
  input: { turnId: TURN, paths: optional(PATHS) },
  refusals: ["invalid_turn_id", "no_snapshot"],
  mcp: "none",
  async run({ deps, directory, roomId }, { turnId, paths = [] }) {
    const turn = await findTurn(deps, roomId, turnId);
    if (isRefusal(turn)) return turn;
    const { line, record, room } = turn;
    if (record === null) return noSnapshot(line.turnId, null);
    const names = namesOf(record, room, directory, paths);
    if (isRefusal(names)) return names;
    const from = treeAt(line.turnId, turn.begin, "beginning");
    if (isRefusal(from)) return from;
    const to = await treeAtEnd(turn);
    if (isRefusal(to)) return to;
    const patch = await record.diff(room.path, from.treeId, to.treeId, names.length === 0 ? undefined : names);
    if (patch === null) return noSnapshot(line.turnId, "failed");
    const { text, cut, missing } = patch;
    return { turnId: line.turnId, patch: text, cut, missing, fromTree: from.treeId, toTree: to.treeId };
  },
});

/** The paths as the record names them. */
export function namesOf(
  record: TurnRecord,
  { path: roomPath }: Pick<Room, "path">,
  directory: string,
  paths: readonly string[],
): readonly string[] | Refusal<"invalid_path"> {
  const names: string[] = [];
  for (const path of paths) {
    const name = record.nameOf(roomPath, path.startsWith("/") ? path : `${directory}/${path}`);
    // Another room may cover another part of the same repository.
    const part = record.nameOf(roomPath, roomPath) ?? "";
    if (name === null || (part !== "" && name !== part && !name.startsWith(`${part}/`))) {
      return refuse("invalid_path", `${path} is not in the working tree of this room.`, "Name paths inside of it.", {
        path,
        canonical_path: roomPath,
      });
    }
    names.push(name);
  }
  return names;
}
