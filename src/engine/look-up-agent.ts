import type { AgentId } from "../core/ids.ts";
import type { ProcessRef } from "../core/process.ts";
import { isActive } from "../room/rules/liveness.ts";
import type { Deps } from "./deps.ts";
import { gatherEvidence, givenFor } from "./evidence.ts";
import { OBSERVER } from "./observer.ts";

/** What the store knows about a name: its present form, whether an agent is live under it, and in which processes. */
export interface KnownAgent {
  readonly agentId: AgentId;
  /** A member of some room that was seen lately and may still be active. */
  readonly live: boolean;
  /** In which processes it was last seen. */
  readonly processes: readonly ProcessRef[];
}

export async function lookUpAgent(deps: Deps, name: AgentId): Promise<KnownAgent> {
  const agentId = await deps.store.resolveAlias(name);
  const { rooms, moment } = await deps.store.readRooms({ agentId });
  const presences = rooms.flatMap((room) => room.presence.get(agentId) ?? []);
  return {
    agentId,
    live: rooms.some((room) => {
      const evidence = gatherEvidence(deps, room, moment, [agentId]);
      return isActive(room, agentId, givenFor(deps, OBSERVER, moment, evidence));
    }),
    processes: presences.flatMap(({ process }) => process ?? []),
  };
}
