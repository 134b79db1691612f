/** A session that was merged into another one keeps its old name as an alias without end. */
import type { RoomEvent } from "../../core/event.ts";
import { type AgentId, asAgentId } from "../../core/ids.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import type { Room } from "./room.ts";

/** Present names by former ones. */
export type Aliases = ReadonlyMap<AgentId, AgentId>;

/** The agent that a name means now. A member's own name stays its own, even if another room has merged it already. */
export function presentName(room: Room, aliases: Aliases, name: string): string {
  const agentId = asAgentId(name);
  return room.state.members.has(agentId) ? name : (aliases.get(agentId) ?? name);
}

/** A call that began under a former name goes on under the present one. */
export function actingAs(caller: Caller, aliases: Aliases): Caller {
  const agentId = aliases.get(caller.agentId);
  return agentId === undefined ? caller : { ...caller, agentId, formerId: caller.agentId };
}

/** Names that led to the old one lead to the new one from now on; the new one is no former name any more. */
export function evolveAliases(aliases: Aliases, event: RoomEvent): Aliases {
  if (event.type !== "session_superseded" || event.fromAgentId === null) return aliases;
  return withAlias(aliases, event.payload.supersededAgentId, event.fromAgentId);
}

export function withAlias(aliases: Aliases, old: AgentId, agentId: AgentId): Aliases {
  if (agentId === old) return aliases;
  const others = [...aliases].filter(([former]) => former !== agentId);
  return new Map(others.map(([former, present]) => [former, present === old ? agentId : present])).set(old, agentId);
}
