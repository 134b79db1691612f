import { flag, optional, shaped, text } from "../core/field.ts";
import type { RoomId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { invalidInput, isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { operation } from "../engine/operation.ts";
import type { TurnRecord } from "../engine/ports/working-tree.ts";
import type { Room } from "../room/rules/room.ts";
import type { TreeSnapshot } from "../stick/rules/snapshot.ts";
import { TURN } from "./show-turn.ts";
import {
  findTree,
  findTurn,
  type KnownTree,
  type NamedTree,
  noSnapshot,
  recordFor,
  treeAt,
  treeAtEnd,
  treeNow,
} from "./turn-trees.ts";

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

/** The name that a restore gave to what it overwrote. */
export const KEPT = text(LIMITS.idCharacters);

export const diffTurn = operation({
  name: "diff_turn",
  summary: "What a turn changed, as a patch: of the present turn by default, of some paths on demand.",
  needs: { store: "read", caller: "anyone", room: "existing" },
  input: { turnId: TURN, kept: optional(KEPT), since: optional(flag()), paths: optional(PATHS) },
  refusals: ["invalid_turn_id", "no_snapshot"],
  mcp: "none",
  async run({ deps, directory, roomId }, { turnId, kept, since = false, paths = [] }) {
    const isSince = since || kept !== undefined;
    const trees = await (isSince ? sinceThen(deps, roomId, { turnId, kept }) : inTurn(deps, roomId, turnId));
    if (isRefusal(trees)) return trees;
    const { turnId: of, room, record, from, to, label } = trees;
    const names = namesOf(record, room, directory, paths);
    if (isRefusal(names)) return names;
    const patch = await record.diff(room.path, from.treeId, to.treeId, names.length === 0 ? undefined : names);
    if (patch === null) return noSnapshot(label, "failed");
    const { text: lines, cut, missing } = patch;
    return { turnId: of, since: isSince, patch: lines, cut, missing, fromTree: from.treeId, toTree: to.treeId };
  },
});

interface ComparedTrees extends Omit<KnownTree, "tree"> {
  readonly from: TreeSnapshot;
  readonly to: TreeSnapshot;
}

type DiffRefusal = Refusal<"room_not_found" | "invalid_turn_id" | "no_snapshot">;

async function inTurn(deps: Deps, roomId: RoomId, turnId: number | undefined): Promise<ComparedTrees | DiffRefusal> {
  const turn = await findTurn(deps, roomId, turnId);
  if (isRefusal(turn)) return turn;
  const { line, room } = turn;
  const label = `turn ${line.turnId}`;
  const record = recordFor(room, turn.record, label);
  if (isRefusal(record)) return record;
  const from = treeAt(line.turnId, turn.begin, "beginning");
  if (isRefusal(from)) return from;
  const to = await treeAtEnd(turn);
  return isRefusal(to) ? to : { turnId: line.turnId, room, record, label, from, to };
}

/** From the end of a turn, or what a restore overwrote, to the tree as it is now. */
async function sinceThen(deps: Deps, roomId: RoomId, named: NamedTree): Promise<ComparedTrees | DiffRefusal> {
  const then = await findTree(deps, roomId, named);
  if (isRefusal(then)) return then;
  const { tree: from, ...rest } = then;
  const to = await treeNow(rest.record, rest.room);
  return isRefusal(to) ? to : { ...rest, from, to };
}

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
      return refuse(
        "invalid_path",
        `${path} is not in the working tree of this room, ${roomPath}.`,
        "Name paths inside of it. They are relative to your directory.",
        { path, canonical_path: roomPath },
      );
    }
    names.push(name);
  }
  return names;
}
