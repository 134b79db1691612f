/** Deletes old history, room by room, and agents that are gone. What is in use is never touched. */

import { POLICY_KEYS } from "../core/policy.ts";
import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import { type Moment, wallMsOf } from "../core/time.ts";
import { commit } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { gatherEvidence, lookAtRoom } from "../engine/evidence.ts";
import type { PrunedRoom, RowCounts } from "../engine/ports/prune-store.ts";
import type { PrunedRecord } from "../engine/ports/working-tree.ts";
import { OBSERVER } from "../session/rules/observer.ts";
import { findRoom } from "./find-room.ts";
import { forgetGone } from "./forget-gone.ts";
import { PruneTally, type Removed } from "./prune-tally.ts";
import { absentMembers, expireMembers, MOST_AT_ONCE } from "./rules/absent.ts";
import { stateOf } from "./rules/derived-state.ts";
import type { Room } from "./rules/room.ts";

export interface PruneInput {
  /** One room of any age; without it, every room of this machine that has been idle for long enough. */
  readonly roomId?: string | undefined;
  /** How long a room, or an agent, must have been idle; by default what its room's own policy says. */
  readonly idleForMs?: number | undefined;
  /** False: only say what would be deleted. */
  readonly carryOut: boolean;
}

export interface Pruned {
  readonly rooms: readonly { readonly roomId: string; readonly canonicalPath: string; readonly pruned: boolean }[];
  /** Only if nothing is deleted yet: how many members are gone from rooms that are in use. */
  readonly goneMembers?: number;
  /** How many rows of each kind were removed. */
  readonly removed?: Removed;
  /** Whether free space went back to the file system. */
  readonly compacted?: boolean;
  /** For how long, in all, others could not change the store. */
  readonly lockedMs?: number;
  /** What was removed of the turn record, if all rooms were pruned. */
  readonly record?: PrunedRecord;
}

export async function pruneRooms(deps: Deps, input: PruneInput): Promise<Pruned | Refusal> {
  const sights = await sightsOf(deps, input);
  if (isRefusal(sights)) return sights;
  return input.carryOut ? carryOut(deps, input, sights) : preview(deps, sights);
}

/** A room, what may be deleted of it, and the members that are gone. */
interface Sight {
  readonly room: Room;
  readonly isUnused: boolean;
  readonly idleForMs: number;
  readonly pruned: PrunedRoom;
}

async function preview(deps: Deps, sights: readonly Sight[]): Promise<Pruned> {
  const rooms = [];
  let goneMembers = 0;
  for (const { room, isUnused, pruned } of sights) {
    const { gone, mayGo } = pruned;
    if (!isUnused) goneMembers += gone.length;
    else if (mayGo || gone.length > 0 || (await deps.store.countPrunable(room.id)) > 0) {
      rooms.push({ roomId: room.id, canonicalPath: room.path, pruned: false });
    }
  }
  return { rooms, ...(goneMembers > 0 && { goneMembers }) };
}

async function carryOut(deps: Deps, { roomId, idleForMs }: PruneInput, sights: readonly Sight[]): Promise<Pruned> {
  const tally = new PruneTally(deps.clock);
  const rooms = [];
  for (const { room, isUnused, pruned, idleForMs: forMs } of sights) {
    if (!isUnused) {
      await expireIn(deps, room, forMs, pruned, tally);
      continue;
    }
    const removed = await tally.locking(() => deps.store.prune(pruned));
    if (removed !== null && !tally.add(removed)) continue;
    rooms.push({ roomId: room.id, canonicalPath: room.path, pruned: removed !== null });
  }
  if (roomId === undefined) await forgetGone(deps, idleForMs ?? deps.policy.idleRoomTtlMs, tally);
  const record = roomId === undefined ? await pruneRecord(deps) : null;
  // Also free the space that an earlier prune could not free because others were at work.
  const compacted = tally.isEmpty && roomId !== undefined ? false : await tally.compacting(deps.store);
  return { rooms, removed: tally.removed, compacted, lockedMs: tally.lockedMs, ...(record && { record }) };
}

/** One record serves all rooms of a repository, so the limits are those of new rooms. Null if nothing was removed. */
async function pruneRecord({ turnRecord, policy }: Deps): Promise<PrunedRecord | null> {
  const record = await turnRecord?.();
  const limits = { maxBytes: policy.recordMaxBytes, keepDays: policy.recordKeepDays };
  const pruned = await record?.prune(limits);
  return pruned && (pruned.turns > 0 || pruned.bytesAfter < pruned.bytesBefore) ? pruned : null;
}

/** In a room that is in use, members leave with an event, like every other change there. */
async function expireIn(deps: Deps, room: Room, forMs: number, { gone }: PrunedRoom, tally: PruneTally): Promise<void> {
  for (let left = gone.length; left > 0; left -= MOST_AT_ONCE) {
    const snapshot = await deps.store.readRoom(room.id);
    if (!snapshot) return;
    const evidence = await gatherEvidence(deps, snapshot, gone);
    const changed = await tally.locking(() =>
      commit(withoutRinging(deps), OBSERVER, { roomId: room.id }, evidence, (loaded, given) =>
        expireMembers(loaded.room, given, forMs),
      ),
    );
    const answer = changed?.decision.answer;
    tally.add({ members: typeof answer === "number" ? answer : 0 } satisfies RowCounts);
  }
}

/** No process waits for the removed members, and ringing for them would leave a file for each. */
function withoutRinging(deps: Deps): Deps {
  const { bell } = deps;
  const silent = { ring: async () => undefined, subscribe: bell.subscribe.bind(bell), close: bell.close.bind(bell) };
  return { ...deps, bell: silent };
}

async function sightsOf(deps: Deps, { roomId, idleForMs }: PruneInput): Promise<readonly Sight[] | Refusal> {
  if (roomId !== undefined) {
    const found = await findRoom(deps, { roomId, contextPath: "" });
    if (isRefusal(found)) return found;
    const snapshot = await deps.store.readRoom(found.id);
    const sight = snapshot && (await sightOf(deps, snapshot.room, snapshot.moment, idleForMs ?? 0));
    return sight?.isUnused ? [sight] : roomInUse(found);
  }
  const { rooms, moment } = await deps.store.readRooms({ host: deps.host });
  const sights: Sight[] = [];
  for (const room of rooms) sights.push(await sightOf(deps, room, moment, idleForMs ?? room.policy.idleRoomTtlMs));
  return sights;
}

function roomInUse(room: Room): Refusal {
  return refuse(
    "target_active",
    `A member is still active in the room at ${room.path}, so its history is kept.`,
    "Close the room first, or wait until no member is active there.",
    { room_id: room.id, canonical_path: room.path },
  );
}

async function sightOf(deps: Deps, room: Room, moment: Moment, idleForMs: number): Promise<Sight> {
  const given = await lookAtRoom(deps, { room, moment });
  const state = stateOf(room, given);
  const isFree = state === "dormant" || state === "closed";
  const isUnused = isFree && moment.wallMs - wallMsOf(room.updatedAt) >= idleForMs;
  const gone = absentMembers(room, given, idleForMs);
  const isLeft = gone.length === room.state.members.size;
  const pruned = { roomId: room.id, lastSeq: room.state.lastSeq, gone, mayGo: isLeft && wasNeverUsed(deps, room) };
  return { room, isUnused, idleForMs, pruned };
}

/**
 * Whether its turn counter and policy are still those of a new room. A guarded room is kept: the guard's files name it, and
 * hooks take a room that the store does not know for a store that was lost.
 */
function wasNeverUsed({ policy }: Deps, room: Room): boolean {
  const { turnId, handoff, status } = room.state;
  return (
    turnId === 0 &&
    handoff === null &&
    status === "idle" &&
    room.policy.guard === "off" &&
    POLICY_KEYS.every((key) => room.policy[key] === policy[key])
  );
}
