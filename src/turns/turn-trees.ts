/** A turn with its place in the log and its trees in the record. */
import type { RoomId } from "../core/ids.ts";
import type { Next } from "../core/next.ts";
import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { newestEvents } from "../engine/newest-events.ts";
import type { TurnRecord } from "../engine/ports/working-tree.ts";
import { roomNotFound } from "../room/rules/refusals.ts";
import type { Room } from "../room/rules/room.ts";
import {
  isSnapshot,
  type RecordedMoment,
  SKIPPED_BECAUSE,
  type SkipReason,
  type TreeSnapshot,
} from "../stick/rules/snapshot.ts";
import { isAboutTurns, momentsOf, type TurnLine, type TurnMoments, turnsIn } from "./rules/turn-lines.ts";

/** A turn has few of these events. */
const EVENTS_PER_TURN = 8;
const MOST_EVENTS = 4000;
const MOST_NAMES = 10;
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
  const last = room.state.turnId;
  const facts = { turn_id: turnId, last_turn_id: last };
  if (last === 0)
    return refuse("invalid_turn_id", "There was no turn here yet.", "A turn begins with the stick.", facts);
  const message = `The log has no turn ${turnId}. The last one is ${last}.`;
  return refuse("invalid_turn_id", message, ["List the turns: ", { do: "list_turns" }], facts);
}

const SEE_TURNS = ["See which turns have one: ", { do: "list_turns" }] as const;
const WHEN_TAKEN = [
  "Snapshots are taken when a turn ends and the room has a second member, or always with the policy record=on. ",
  "The policies record_keep_days and record_max_bytes say how long they are kept. ",
];
const IN_A_REPOSITORY = "Files are kept only in a git repository. Create one there with git init, for later turns.";

/** `what`, for example `turn 12`. */
export function noSnapshot(what: string, why: SkipReason | null): Refusal<"no_snapshot"> {
  const reason = why === null ? "" : `: ${SKIPPED_BECAUSE[why]}`;
  const next: Next = why === "not_a_repository" ? IN_A_REPOSITORY : [...(why === null ? WHEN_TAKEN : []), ...SEE_TURNS];
  return refuse("no_snapshot", `There is no snapshot of ${what}${reason}.`, next, { reason: why });
}

/** The record, if it can have anything of the room. */
export function recordFor(room: Room, record: TurnRecord | null, what: string): TurnRecord | Refusal<"no_snapshot"> {
  const why = record?.obstacleAt(room.path) ?? null;
  return record === null || why !== null ? noSnapshot(what, why) : record;
}

/** The tree of a moment, or why there is none. */
export function treeAt(
  turnId: number,
  moment: RecordedMoment | null,
  which: "beginning" | "end",
): TreeSnapshot | Refusal<"no_snapshot"> {
  if (moment !== null && isSnapshot(moment.outcome)) return moment.outcome;
  const why = moment !== null && !isSnapshot(moment.outcome) ? moment.outcome.skipped : null;
  return noSnapshot(`the ${which} of turn ${turnId}`, why);
}

/** The end of a turn; of one that goes on, the tree as it is now. */
export async function treeAtEnd({
  line,
  end,
  record,
  room,
}: KnownTurn): Promise<TreeSnapshot | Refusal<"no_snapshot">> {
  return line.endedAt !== null || record === null ? treeAt(line.turnId, end, "end") : treeNow(record, room);
}

export async function treeNow(
  record: TurnRecord,
  { path }: Pick<Room, "path">,
): Promise<TreeSnapshot | Refusal<"no_snapshot">> {
  const now = await record.snapshot(path, { budgetMs: NOW_BUDGET_MS });
  return isSnapshot(now) ? now : noSnapshot("the tree as it is now", now.skipped);
}

/** A turn by its number, or what a restore overwrote by the name that the restore gave. */
export interface NamedTree {
  readonly turnId?: number | undefined;
  readonly kept?: string | undefined;
}

/** A tree that can be given back. */
export interface KnownTree {
  /** Null for what a restore overwrote. */
  readonly turnId: number | null;
  readonly room: Room;
  readonly record: TurnRecord;
  readonly tree: TreeSnapshot;
  /** As sentences call it. */
  readonly label: string;
}

/** The end of a turn, or what a restore overwrote. */
export async function findTree(
  deps: Deps,
  roomId: RoomId,
  { turnId, kept }: NamedTree,
): Promise<KnownTree | Refusal<TurnRefusal | "no_snapshot">> {
  if (kept !== undefined) return findKept(deps, roomId, kept);
  const turn = await findTurn(deps, roomId, turnId);
  if (isRefusal(turn)) return turn;
  const { line, room } = turn;
  const label = `turn ${line.turnId}`;
  const record = recordFor(room, turn.record, label);
  if (isRefusal(record)) return record;
  const tree = line.endedAt === null ? goesOn(line) : treeAt(line.turnId, turn.end, "end");
  return isRefusal(tree) ? tree : { turnId: line.turnId, room, record, tree, label };
}

function goesOn({ turnId }: TurnLine): Refusal<"no_snapshot"> {
  return refuse(
    "no_snapshot",
    `Turn ${turnId} goes on. Its snapshot is taken when it ends.`,
    ["See what it has changed: ", { do: "diff_turn", with: { turn_id: turnId } }],
    { reason: null },
  );
}

async function findKept(
  deps: Deps,
  roomId: RoomId,
  name: string,
): Promise<KnownTree | Refusal<"room_not_found" | "no_snapshot">> {
  const snapshot = await deps.store.readRoom(roomId);
  if (!snapshot) return roomNotFound(roomId);
  const { room } = snapshot;
  const record = recordFor(room, (await deps.turnRecord?.()) ?? null, name);
  if (isRefusal(record)) return record;
  const all = record.keptOf({ roomId, path: room.path });
  const found = all.find((one) => one.name === name);
  if (found) return { turnId: null, room, record, tree: found.tree, label: name };
  const names = all.slice(0, MOST_NAMES).map((one) => one.name);
  return refuse(
    "no_snapshot",
    `Nothing is kept as ${name}.`,
    names.length === 0
      ? "Nothing that a restore has overwritten is kept in this room."
      : `The newest that restores have overwritten: ${names.join(", ")}.`,
    { reason: null },
  );
}
