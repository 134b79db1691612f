/** A turn with its place in the log and its trees in the record. */
import type { RoomId } from "../core/ids.ts";
import { type Refusal, refuse } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { newestEvents } from "../engine/newest-events.ts";
import type { TurnRecord } from "../engine/ports/working-tree.ts";
import { roomNotFound } from "../room/rules/refusals.ts";
import type { Room } from "../room/rules/room.ts";
import { isSnapshot, type RecordedMoment, type SkipReason, type TreeSnapshot } from "../stick/rules/snapshot.ts";
import { isAboutTurns, momentsOf, type TurnLine, type TurnMoments, turnsIn } from "./rules/turn-lines.ts";

/** A turn has few of these events. */
const EVENTS_PER_TURN = 8;
const MOST_EVENTS = 4000;
/** For the tree as it is now, when a person or an agent asks for it. */
const NOW_BUDGET_MS = 30_000;

export interface KnownTurn extends TurnMoments {
  readonly room: Room;
  readonly line: TurnLine;
  /** Null for a caller without one, such as a program without a data directory. */
  readonly record: TurnRecord | null;
}

type TurnRefusal = "room_not_found" | "invalid_turn_id";

/** The newest turns, the oldest first. */
export async function newestTurns(deps: Deps, room: Room, limit: number): Promise<readonly TurnLine[]> {
  const events = await newestEvents(deps.store, room, Math.min(MOST_EVENTS, limit * EVENTS_PER_TURN), isAboutTurns);
  return turnsIn(events).slice(-limit);
}

/** Without a number, the present turn, or else the last one. */
export async function findTurn(
  deps: Deps,
  roomId: RoomId,
  turnId: number | undefined,
): Promise<KnownTurn | Refusal<TurnRefusal>> {
  const snapshot = await deps.store.readRoom(roomId);
  if (!snapshot) return roomNotFound(roomId);
  const { room } = snapshot;
  const wanted = turnId ?? room.state.turnId;
  const events = await newestEvents(deps.store, room, MOST_EVENTS, isAboutTurns);
  const line = turnsIn(events).find((turn) => turn.turnId === wanted);
  if (line === undefined) return unknownTurn(wanted, room);
  const record = (await deps.turnRecord?.()) ?? null;
  return { room, line, record, ...momentsOf(keptAround(record, room, wanted), wanted) };
}

/** What the record has of a turn and of the one before it. */
export function keptAround(record: TurnRecord | null, { id: roomId, path }: Room, turnId: number) {
  return record === null ? [] : [turnId - 1, turnId].map((turn) => record.turnOf({ roomId, path }, turn));
}

function unknownTurn(turnId: number, room: Room): Refusal<"invalid_turn_id"> {
  return refuse(
    "invalid_turn_id",
    `The log has no turn ${turnId}. The last one is ${room.state.turnId}.`,
    ["List the turns: ", { do: "list_turns" }],
    { turn_id: turnId, last_turn_id: room.state.turnId },
  );
}

const BECAUSE: Readonly<Record<SkipReason, string>> = {
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

export function noSnapshot(turnId: number, why: SkipReason | null, part = ""): Refusal<"no_snapshot"> {
  const reason = why === null ? "" : `: ${BECAUSE[why]}`;
  return refuse(
    "no_snapshot",
    `There is no snapshot of ${part}turn ${turnId}${reason}.`,
    [
      "Snapshots are taken when a turn ends and the room has a second member, or always with the policy record=on. ",
      "See which turns have one: ",
      { do: "list_turns" },
    ],
    { turn_id: turnId, reason: why },
  );
}

/** The tree of a moment, or why there is none. */
export function treeAt(
  turnId: number,
  moment: RecordedMoment | null,
  which: "beginning" | "end",
): TreeSnapshot | Refusal<"no_snapshot"> {
  if (moment !== null && isSnapshot(moment.outcome)) return moment.outcome;
  const why = moment !== null && !isSnapshot(moment.outcome) ? moment.outcome.skipped : null;
  return noSnapshot(turnId, why, `the ${which} of `);
}

/** The end of a turn; of one that goes on, the tree as it is now. */
export async function treeAtEnd({
  line,
  end,
  record,
  room,
}: KnownTurn): Promise<TreeSnapshot | Refusal<"no_snapshot">> {
  if (line.endedAt !== null || record === null) return treeAt(line.turnId, end, "end");
  const now = await record.snapshot(room.path, { budgetMs: NOW_BUDGET_MS });
  return isSnapshot(now) ? now : noSnapshot(line.turnId, now.skipped);
}
