/** Which agent left a room, according to its events. */
import type { RoomEvent } from "../../core/event.ts";
import type { AgentId } from "../../core/ids.ts";

/** Null for an event that removed no member. */
export function whoDeparted({ type, fromAgentId, toAgentId }: RoomEvent): AgentId | null {
  if (type === "member_left") return fromAgentId;
  return type === "kick" ? toAgentId : null;
}
