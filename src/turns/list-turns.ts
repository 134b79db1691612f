import { integer, optional } from "../core/field.ts";
import type { RecordMode } from "../core/policy.ts";
import { operation } from "../engine/operation.ts";
import type { TurnRecord } from "../engine/ports/working-tree.ts";
import { roomNotFound } from "../room/rules/refusals.ts";
import type { Room } from "../room/rules/room.ts";
import { isSnapshot, type RecordedTurn, type SkipReason, type TreeComparison } from "../stick/rules/snapshot.ts";
import { momentsOf, type RecordState, type TurnLine } from "./rules/turn-lines.ts";
import { newestTurns } from "./turn-trees.ts";

export interface ListedTurn extends Omit<TurnLine, "handoff" | "firstSeq" | "lastSeq"> {
  /** How many files the turn changed; null if that is not known. */
  readonly files: number | null;
  readonly added: number | null;
  readonly removed: number | null;
  readonly record: RecordState;
  /** Why there is no snapshot, if that is known. */
  readonly reason: SkipReason | null;
}

const BY_DEFAULT = 20;
const MOST = 200;
const AT_ONCE = 4;

export const listTurns = operation({
  name: "list_turns",
  summary: "The room's newest turns: who, when, files changed, checks, and how each ended.",
  needs: { store: "read", caller: "anyone", room: "existing" },
  input: { limit: optional(integer({ min: 1, max: MOST })) },
  refusals: [],
  mcp: "none",
  async run({ deps, roomId }, { limit = BY_DEFAULT }) {
    const snapshot = await deps.store.readRoom(roomId);
    if (!snapshot) return roomNotFound(roomId);
    const { room } = snapshot;
    const lines = await newestTurns(deps, room, limit);
    const record = (await deps.turnRecord?.()) ?? null;
    const kept = record?.turnsOf({ roomId, path: room.path }) ?? [];
    const turns: ListedTurn[] = [];
    for (let at = 0; at < lines.length; at += AT_ONCE) {
      const some = lines.slice(at, at + AT_ONCE);
      turns.push(...(await Promise.all(some.map((line) => listed(line, room, record, kept)))));
    }
    const mode: RecordMode = room.policy.record;
    return { turns, record: mode };
  },
});

export async function listed(
  { handoff: _handoff, firstSeq: _first, lastSeq: _last, ...line }: TurnLine,
  { path }: Pick<Room, "path">,
  record: TurnRecord | null,
  kept: readonly RecordedTurn[],
): Promise<ListedTurn> {
  const { begin, end } = momentsOf(kept, line.turnId);
  const [from, to] = [begin?.outcome, line.endedAt === null ? undefined : end?.outcome];
  const isWhole = from && to && isSnapshot(from) && isSnapshot(to);
  const changes = isWhole && record ? await record.changes(path, from.treeId, to.treeId) : null;
  const state = stateOf(line, begin, end);
  const last = line.endedAt === null ? begin?.outcome : end?.outcome;
  const reason = last && !isSnapshot(last) ? last.skipped : null;
  const none = state === "none" ? (record?.obstacleAt(path) ?? null) : null;
  return { ...line, ...sumOf(changes), record: state, reason: reason ?? none };
}

function sumOf(changes: TreeComparison | null): Pick<ListedTurn, "files" | "added" | "removed"> {
  if (changes === null) return { files: null, added: null, removed: null };
  const sum = (key: "added" | "removed") => changes.files.reduce((total, file) => total + (file[key] ?? 0), 0);
  return { files: changes.files.length + changes.more, added: sum("added"), removed: sum("removed") };
}

function stateOf(
  { endedAt }: Pick<TurnLine, "endedAt">,
  begin: RecordedTurn["begin"],
  end: RecordedTurn["end"],
): RecordState {
  const last = endedAt === null ? begin : end;
  if (last === null) return "none";
  if (!isSnapshot(last.outcome)) return last.outcome.skipped === "pending" ? "pending" : "skipped";
  if (begin === null || !isSnapshot(begin.outcome)) return "end_only";
  return last.late || begin.late ? "late" : "kept";
}
