/**
 * The turn record, as turns end and begin. The former holder takes a snapshot right after it has released or passed the
 * stick. It ends that turn and begins the next one. A new holder takes one only if time has passed since then, or if the
 * turn before ended without one: then the tree may have changed while nobody held the stick, and the room is told what
 * differs.
 */
import type { RoomEvent } from "../core/event.ts";
import type { HandoffEvidence } from "../core/handoff.ts";
import { elapsedMs, type Instant, wallMsOf } from "../core/time.ts";
import type { DoneChange } from "../engine/around-commit.ts";
import { commit } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import type { TurnRecord } from "../engine/ports/working-tree.ts";
import type { Room } from "../room/rules/room.ts";
import { NO_EVIDENCE } from "../session/rules/decision-input.ts";
import { OBSERVER } from "../session/rules/observer.ts";
import { attributedPaths, changedInTurn, foreignChange, isRecorded, reportChange } from "./rules/foreign-change.ts";
import { isLastEndKept } from "./rules/handoff-evidence.ts";
import { isSnapshot, type RecordedMoment } from "./rules/snapshot.ts";

/** How long a new holder waits for the comparison. */
const COMPARISON_MS = 500;
/** A grant that follows a release so closely begins with the same tree. A snapshot that comes later is a late one. */
const DIRECTLY_MS = 1000;

export function isDirectlyAfter(since: Instant, now: Instant): boolean {
  return elapsedMs(since, now) <= DIRECTLY_MS;
}

/** So often the end of a turn keeps the record within its limits. */
const TURNS_BETWEEN_PRUNING = 50;
const RECENT_EVENTS = 200;

/**
 * Keeps the tree at the end of the turn that was handed over at `since`. Returns what the handoff tells of it: nothing where
 * nothing is kept, or where the tree may have changes of the next turn.
 */
export async function recordEnd(
  deps: Deps,
  { id: roomId, path, policy, state }: Room,
  since: Instant,
): Promise<RecordedEnd> {
  if (!deps.turnRecord || !isRecorded({ policy, state })) return {};
  const record = await deps.turnRecord();
  const room = { roomId, path };
  const { turnId } = state;
  const outcome = await record.snapshot(path, { budgetMs: policy.snapshotMaxMs });
  const late = !isDirectlyAfter(since, deps.clock.now().instant);
  keep(record, room, { turn: turnId, moment: "end" }, { outcome, late });
  if (turnId % TURNS_BETWEEN_PRUNING === 0) {
    record.pruneLater({ maxBytes: policy.recordMaxBytes, keepDays: policy.recordKeepDays });
  }
  if (!isSnapshot(outcome) || late) return {};
  const begin = record.turnOf(room, turnId).begin ?? record.turnOf(room, turnId - 1).end;
  // A late one may have changes of this turn, so what it does not show is not all of them.
  const from = begin && !begin.late && isSnapshot(begin.outcome) ? begin.outcome.treeId : null;
  const changes = from === null ? null : await record.changes(path, from, outcome.treeId);
  return { tree: outcome.treeId, ...(changes && { changed: changedInTurn(changes) }) };
}

type RecordedEnd = Pick<HandoffEvidence, "tree" | "changed">;

export async function markEndLate(deps: Deps, { id: roomId, path, state: { turnId } }: Room): Promise<void> {
  const record = await deps.turnRecord?.();
  const room = { roomId, path };
  const end = record?.turnOf(room, turnId).end;
  if (end) record?.keep(room, { turn: turnId, moment: "end" }, { ...end, late: true });
}

/** The tree as it is now, for a check; null where nothing is kept. */
export async function treeNow(deps: Deps, { path, policy, state }: Room): Promise<string | null> {
  if (!deps.turnRecord || !isRecorded({ policy, state })) return null;
  const outcome = await (await deps.turnRecord()).snapshot(path, { budgetMs: policy.snapshotMaxMs });
  return isSnapshot(outcome) ? outcome.treeId : null;
}

function keep(record: TurnRecord, room: Parameters<TurnRecord["keep"]>[0], point: Point, moment: RecordedMoment): void {
  const isPending = !isSnapshot(moment.outcome) && moment.outcome.skipped === "pending";
  // Kept first: the process in the background replaces it.
  record.keep(room, point, moment);
  if (isPending && !record.finishLater(room, [point])) record.keep(room, point, { ...moment, outcome: TOO_SLOW });
}

type Point = Parameters<TurnRecord["keep"]>[1];

const TOO_SLOW = { skipped: "too_slow" } as const;

/** After a commit that granted the stick. Null for all other commits, and where nothing is kept. */
export function recordBegin(deps: Deps, { before, room, events }: DoneChange): Promise<void> | null {
  const grant = events.find(({ type }) => type === "claim" || type === "takeover");
  if (!grant || !deps.turnRecord || !isRecorded(room)) return null;
  // Decided from the room alone: most grants follow a release at once, and loading the record takes time.
  return followsAtOnce(before, deps.clock.now().instant) ? null : beginTurn(deps, deps.turnRecord, before, grant);
}

/**
 * Whether the stick was just reserved for the new holder. If anything else happened since the handoff, such as a gift or a
 * pause, a turn may have ended without a snapshot, or time has passed.
 */
function followsAtOnce({ state, claimDeadline, policy }: Room, now: Instant): boolean {
  const { reservation } = state;
  if (!isLastEndKept(state) || reservation === null || claimDeadline === null) return false;
  const ttlMs = reservation.via === "pass" ? policy.claimTtlMs : policy.releaseClaimTtlMs;
  return elapsedMs(claimDeadline, now) + ttlMs <= DIRECTLY_MS;
}

async function beginTurn(deps: Deps, open: () => Promise<TurnRecord>, loaded: Room, grant: RoomEvent): Promise<void> {
  const record = await open();
  const { id: roomId, path } = loaded;
  const room = { roomId, path };
  const before = record.turnOf(room, grant.turnId - 1).end?.outcome ?? null;
  if (before === null && (await isBeingTaken(deps, loaded, grant.turnId - 1))) return;
  const isKnown = before !== null && isSnapshot(before);
  const { clock } = deps;
  const agoMs = isKnown ? clock.now().wallMs - (clock.aheadMs ?? 0) - before.takenAtMs : 0;
  // A clock that was set back says nothing about the time in between.
  if (isKnown && Math.abs(agoMs) <= DIRECTLY_MS) return;
  const outcome = await record.snapshot(path, { budgetMs: COMPARISON_MS });
  keep(record, room, { turn: grant.turnId, moment: "begin" }, { outcome, late: false });
  if (!isKnown || !isSnapshot(outcome) || outcome.treeId === before.treeId) return;
  const changes = await record.changes(path, before.treeId, outcome.treeId);
  if (changes === null) return;
  // Tools that wrote without the stick are in the log by now, with their agents.
  const known = attributedPaths(await deps.store.readEventsBefore(roomId, grant.seq, RECENT_EVENTS));
  const inside = record.nameOf(path, path) ?? "";
  const found = foreignChange(changes, { leftOut: [...before.leftOut, ...outcome.leftOut], inside, known });
  if (!found) return;
  const nearby = deps.attempts?.commandsSince(roomId, before.takenAtMs) ?? [];
  await commit(deps, OBSERVER, { roomId }, NO_EVIDENCE, (now, given) =>
    reportChange(now.room, given, { ...found, ...(nearby.length > 0 && { nearby }) }),
  );
}

/** Whether the former holder's program is taking the snapshot that ended the turn, and has begun just now. */
async function isBeingTaken(
  { store, clock }: Deps,
  { id, state: { handoff } }: Room,
  turnId: number,
): Promise<boolean> {
  if (handoff?.handoff.evidence?.pendingUntil === undefined) return false;
  const [end] = await store.readEventsBefore(id, handoff.seq + 1, 1);
  // A clock that was set back says nothing about the time in between.
  return end?.turnId === turnId && Math.abs(clock.now().wallMs - wallMsOf(end.createdAt)) <= DIRECTLY_MS;
}
