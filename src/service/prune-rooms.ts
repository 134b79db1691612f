/** Forgetting old history, room by room. What is in use is never touched. */
import { isRefusal, type Refusal, refuse } from "../domain/refusal.ts";
import { stateOf } from "../domain/room/derived-state.ts";
import type { Room } from "../domain/room/room.ts";
import { type Moment, wallMsOf } from "../domain/time.ts";
import type { Deps } from "./deps.ts";
import { gatherEvidence, givenFor } from "./evidence.ts";
import { findRoom } from "./find-room.ts";
import { OBSERVER } from "./observer.ts";

export interface PruneInput {
  /** One room, whatever its age; without it, every room of this machine that has been idle for long enough. */
  readonly roomId?: string | undefined;
  /** How long a room must have been idle; by default what its own policy says. */
  readonly idleForMs?: number | undefined;
  /** False: only say what would be forgotten. */
  readonly carryOut: boolean;
}

export interface Pruned {
  readonly rooms: readonly { readonly roomId: string; readonly canonicalPath: string; readonly pruned: boolean }[];
}

export async function pruneRooms(deps: Deps, input: PruneInput): Promise<Pruned | Refusal> {
  const candidates = await candidatesOf(deps, input);
  if (isRefusal(candidates)) return candidates;
  const rooms = [];
  for (const room of candidates) {
    const pruned = input.carryOut && (await deps.store.prune(room.id, room.state.lastSeq));
    rooms.push({ roomId: room.id, canonicalPath: room.path, pruned });
  }
  return { rooms };
}

async function candidatesOf(deps: Deps, { roomId, idleForMs }: PruneInput): Promise<readonly Room[] | Refusal> {
  if (roomId !== undefined) {
    const found = await findRoom(deps, { roomId, contextPath: "" });
    if (isRefusal(found)) return found;
    const snapshot = await deps.store.readRoom(found.id);
    return snapshot && isUnused(deps, snapshot.room, snapshot.moment, 0) ? [snapshot.room] : roomInUse(found);
  }
  const { rooms, moment } = await deps.store.readRooms({ host: deps.host });
  return rooms.filter((room) => isUnused(deps, room, moment, idleForMs ?? room.policy.idleRoomTtlMs));
}

function roomInUse(room: Room): Refusal {
  return refuse(
    "target_active",
    `Somebody is active in the room at ${room.path}, so its history stays.`,
    "Close the room first, or wait until nobody is there.",
    { room_id: room.id, canonical_path: room.path },
  );
}

function isUnused(deps: Deps, room: Room, moment: Moment, idleForMs: number): boolean {
  const given = givenFor(deps, OBSERVER, moment, gatherEvidence(deps, room, moment, [...room.presence.keys()]));
  const state = stateOf(room, given);
  return (state === "dormant" || state === "closed") && moment.wallMs - wallMsOf(room.updatedAt) >= idleForMs;
}
