import type { AgentId } from "../core/ids.ts";
import type { Deps } from "../engine/deps.ts";

/** What the store knows of names, for the identity rules. */
export function namesIn({ store }: Deps) {
  return {
    presentName: (agentId: AgentId): Promise<AgentId> => store.resolveAlias(agentId),
    /** Whether a room knows this name as that of a harness's session. */
    isSession: async (agentId: AgentId): Promise<boolean> => {
      const { rooms } = await store.readRooms({ agentId });
      return rooms.some(({ presence }) => (presence.get(agentId)?.sessionId ?? null) !== null);
    },
  };
}
