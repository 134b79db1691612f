import type { AgentId } from "../domain/ids.ts";
import { isActive } from "../domain/room/liveness.ts";
import type { GivenName } from "../domain/session/evidence.ts";
import type { Deps } from "./deps.ts";
import { gatherEvidence, givenFor } from "./evidence.ts";
import { OBSERVER } from "./observer.ts";

/** What the store knows about a name that a caller gave itself: its present form, whether somebody lives under it, and who. */
export async function lookUpAgent(
  deps: Deps,
  name: AgentId,
  { nameOnly }: { readonly nameOnly: boolean },
): Promise<Omit<GivenName, "source">> {
  const agentId = await deps.store.resolveAlias(name);
  if (nameOnly) return { agentId, live: false, sessionIds: [], processes: [] };
  const { rooms, moment } = await deps.store.readRooms({ agentId });
  const presences = rooms.flatMap((room) => room.presence.get(agentId) ?? []);
  return {
    agentId,
    live: rooms.some((room) => {
      const evidence = gatherEvidence(deps, room, moment, [agentId]);
      return isActive(room, agentId, givenFor(deps, OBSERVER, moment, evidence));
    }),
    sessionIds: presences.flatMap(({ sessionId }) => sessionId ?? []),
    processes: presences.flatMap(({ process }) => process ?? []),
  };
}
