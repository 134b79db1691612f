/** What the turn record has of many turns, for a recording of the room, which cannot ask for it later. */
import { isRefusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import type { TurnRecord } from "../engine/ports/working-tree.ts";
import type { Room } from "../room/rules/room.ts";
import { isSnapshot, type LeftOut, type RecordedTurn, type TreeComparison } from "../stick/rules/snapshot.ts";
import { type ListedTurn, listed } from "./list-turns.ts";
import { momentsOf, type TurnLine } from "./rules/turn-lines.ts";
import { type KnownTurn, recordFor, treeAt, treeAtEnd } from "./turn-trees.ts";

export interface TurnPatch {
  readonly patch: string;
  readonly cut: boolean;
  readonly missing: boolean;
  readonly fromTree: string;
  readonly toTree: string;
}

export interface TurnToRecord {
  readonly turnId: number;
  /** What a list says of it while it goes on. */
  readonly during: Pick<ListedTurn, "record" | "reason">;
  /** The same once it has ended; null if it still goes on. */
  readonly after: Pick<ListedTurn, "record" | "reason" | "files" | "added" | "removed"> | null;
  /** Null if what it changed is not known. */
  readonly files: TreeComparison["files"] | null;
  readonly moreFiles: number;
  readonly leftOut: readonly LeftOut[];
  /** Null if no patch was wanted, or there is none. */
  readonly patch: TurnPatch | null;
}

export interface WantedChanges {
  readonly patches: boolean;
  /** Whether a turn that goes on is compared with the files as they are now. */
  readonly present: boolean;
  readonly cancel: AbortSignal;
}

const AT_ONCE = 4;

/** In the order of the lines. Ends early once it is cancelled. */
export async function* turnsToRecord(
  deps: Deps,
  room: Room,
  lines: readonly TurnLine[],
  wanted: WantedChanges,
): AsyncGenerator<TurnToRecord> {
  const record = (await deps.turnRecord?.()) ?? null;
  const kept = record?.turnsOf({ roomId: room.id, path: room.path }) ?? [];
  const near = new Map(kept.map((turn) => [turn.turn, turn]));
  for (let at = 0; at < lines.length && !wanted.cancel.aborted; at += AT_ONCE) {
    const some = lines.slice(at, at + AT_ONCE);
    yield* await Promise.all(
      some.map((line) => {
        const around = [line.turnId - 1, line.turnId].flatMap((turn) => near.get(turn) ?? []);
        return turnToRecord(room, line, { record, around, wanted });
      }),
    );
  }
}

interface Recorded {
  readonly record: TurnRecord | null;
  readonly around: readonly RecordedTurn[];
  readonly wanted: WantedChanges;
}

async function turnToRecord(room: Room, line: TurnLine, { record, around, wanted }: Recorded): Promise<TurnToRecord> {
  const during = await listed({ ...line, endedAt: null }, room, record, around);
  const after = line.endedAt === null ? null : await listed(line, room, record, around);
  const known = { room, line, record, ...momentsOf(around, line.turnId) };
  const changes = after || wanted.present ? await changesOf(known, wanted.patches) : null;
  const end = known.end?.outcome;
  return {
    turnId: line.turnId,
    during: stateOf(during),
    after: after && { ...stateOf(after), files: after.files, added: after.added, removed: after.removed },
    files: changes?.comparison?.files ?? null,
    moreFiles: changes?.comparison?.more ?? 0,
    leftOut: end && isSnapshot(end) ? end.leftOut : [],
    patch: changes?.patch ?? null,
  };
}

function stateOf({ record, reason }: ListedTurn): TurnToRecord["during"] {
  return { record, reason };
}

async function changesOf(
  turn: KnownTurn,
  patches: boolean,
): Promise<{ readonly comparison: TreeComparison | null; readonly patch: TurnPatch | null } | null> {
  const { line, room } = turn;
  const record = recordFor(room, turn.record, `turn ${line.turnId}`);
  const from = treeAt(line.turnId, turn.begin, "beginning");
  if (isRefusal(record) || isRefusal(from)) return null;
  const to = await treeAtEnd(turn);
  if (isRefusal(to)) return null;
  const comparison = await record.changes(room.path, from.treeId, to.treeId, from.head);
  const found = patches ? await record.diff(room.path, from.treeId, to.treeId) : null;
  const patch = found && {
    patch: found.text,
    cut: found.cut,
    missing: found.missing,
    fromTree: from.treeId,
    toTree: to.treeId,
  };
  return { comparison, patch };
}
