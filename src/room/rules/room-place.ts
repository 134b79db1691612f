/** What a person asks about the place of a room: which room is around it, and whether its directory had another name. */
import type { AgentId, Handle, RoomId } from "../../core/ids.ts";
import type { Pause, Room } from "./room.ts";

/** A room whose directory holds the directory of this one. Its stick is another. */
export interface SurroundingRoom {
  readonly roomId: RoomId;
  readonly canonicalPath: string;
  readonly owner: AgentId | null;
  /** Of its holder; its project may be another one, with other handles. */
  readonly ownerHandle: Handle | null;
  readonly reservedFor: AgentId | null;
  readonly reservedForHandle: Handle | null;
  readonly paused: Pause | null;
}

/** A room whose directory is gone, and whose repository can only be the one that is here. */
export interface FormerRoom {
  readonly roomId: RoomId;
  readonly canonicalPath: string;
}

export interface RoomPlace {
  readonly inside?: SurroundingRoom;
  readonly formerly?: FormerRoom;
}

/** The deepest room around a path that is open. */
export function surroundingRoom(rooms: readonly Room[], path: string): SurroundingRoom | null {
  const around = rooms
    .filter(({ path: other, state }) => state.status !== "closed" && isBelow(path, other))
    .toSorted((a, b) => b.path.length - a.path.length);
  const [room] = around;
  if (!room) return null;
  const { owner, reservation, paused } = room.state;
  const reservedFor = reservation?.agentId ?? null;
  const handleOf = (agent: AgentId | null) => (agent === null ? null : (room.presence.get(agent)?.handle ?? null));
  return {
    roomId: room.id,
    canonicalPath: room.path,
    owner,
    ownerHandle: handleOf(owner),
    reservedFor,
    reservedForHandle: handleOf(reservedFor),
    paused,
  };
}

function isBelow(path: string, other: string): boolean {
  return path !== other && path.startsWith(other.endsWith("/") ? other : `${other}/`);
}

/**
 * Where the repository lies within its directory, so that both have been renamed together; null if it lies elsewhere, as
 * that of a linked worktree does, or if the project is named in another way than by its path.
 */
export function repositoryWithin({ path, project }: Pick<Room, "path" | "project">): string | null {
  return project === path || isBelow(project, path) ? project.slice(path.length) : null;
}

/** The commit that was last seen checked out in a room; null if git never showed one there. */
export function lastHeadOf({ state }: Room): string | null {
  return state.handoff?.handoff.evidence?.head ?? state.turnHead;
}
