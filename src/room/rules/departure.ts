/** Who went out of a room, as its events tell. */
import type { RoomEvent } from "../../core/event.ts";
import type { AgentId } from "../../core/ids.ts";

/** Null for an event that took nobody out. */
export function whoDeparted({ type, fromAgentId, toAgentId }: RoomEvent): AgentId | null {
  if (type === "member_left") return fromAgentId;
  return type === "kick" ? toAgentId : null;
}
