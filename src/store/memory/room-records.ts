/** What the store in memory asks of a room and its events. */
import type { RoomEvent } from "../../core/event.ts";
import type { AgentId } from "../../core/ids.ts";
import type { RoomQuery } from "../../engine/ports/store.ts";
import { type Room, withoutEntry } from "../../room/rules/room.ts";

/** Who left for that reason was gone long before. */
export function isExpiry(event: RoomEvent): boolean {
  return event.type === "member_left" && event.payload.reason === "expired";
}

export function withoutMember(room: Room, agentId: AgentId): Room {
  const { state, presence, waits } = room;
  return {
    ...room,
    state: { ...state, members: withoutEntry(state.members, agentId) },
    presence: withoutEntry(presence, agentId),
    waits: withoutEntry(waits, agentId),
  };
}

export function matches(room: Room, { host, paths, project, agentId, owned }: RoomQuery): boolean {
  return (
    (!owned || room.state.status === "owned") &&
    (host === undefined || room.host === host) &&
    (paths === undefined || paths.includes(room.path)) &&
    (project === undefined || room.project === project) &&
    (agentId === undefined || room.state.members.has(agentId))
  );
}
