/** The policy that applies to a session: that of its rooms, or, if it is in none, that of a new room. */
import type { AgentId } from "../core/ids.ts";
import type { Policy } from "../core/policy.ts";
import type { Room } from "../room/rules/room.ts";
import type { Deps } from "./deps.ts";

export async function policiesOf(deps: Deps, agentId: AgentId): Promise<readonly Policy[]> {
  const { rooms } = await deps.store.readRooms({ agentId });
  return rooms.length === 0 ? [deps.policy] : rooms.map(({ policy }) => policy);
}

/** The same where the rooms of its project have been read already: those of the one that changed last. */
export function policyAmong(deps: Deps, rooms: readonly Room[], agentId: AgentId): Policy {
  return rooms.find(({ state }) => state.members.has(agentId))?.policy ?? rooms[0]?.policy ?? deps.policy;
}
