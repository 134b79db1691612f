import type { AgentId } from "../core/ids.ts";
import type { ProcessRef } from "../core/process.ts";
import { alivenessIn } from "../room/rules/liveness.ts";
import type { Deps } from "./deps.ts";
import { lookAtRoom } from "./evidence.ts";

/** What the store knows about a name: its present form, whether an agent is live under it, and in which processes. */
export interface KnownAgent {
  readonly agentId: AgentId;
  /** A member of some room that was seen lately and may still be active. */
  readonly live: boolean;
  /** In which processes it was last seen. */
  readonly processes: readonly ProcessRef[];
}

/** A room that has not merged the two names yet knows it by the former one. */
export async function lookUpAgent(deps: Deps, name: AgentId): Promise<KnownAgent> {
  const agentId = await deps.store.resolveAlias(name);
  const processes: ProcessRef[] = [];
  let live = false;
  for (const known of new Set([agentId, name])) {
    const { rooms, moment } = await deps.store.readRooms({ agentId: known });
    for (const room of rooms) {
      const given = await lookAtRoom(deps, { room, moment }, { about: [known] });
      live ||= alivenessIn(room, known, given).isActive;
      const { process = null } = room.presence.get(known) ?? {};
      if (process) processes.push(process);
    }
  }
  return { agentId, live, processes };
}
