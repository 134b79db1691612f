/** A session that was merged into another one keeps its old name as an alias without end. */
import type { RoomEvent } from "../../core/event.ts";
import { type AgentId, asAgentId } from "../../core/ids.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import type { Room } from "./room.ts";

/** Present names by former ones. */
export type Aliases = ReadonlyMap<AgentId, AgentId>;

/** The member that a name means. A member's own name stays its own, even if another room has merged it already. */
export function presentName(room: Room, aliases: Aliases, name: string): string {
  const agentId = asAgentId(name);
  if (room.state.members.has(agentId)) return name;
  return formerNameIn(room, aliases, agentId) ?? aliases.get(agentId) ?? name;
}

/**
 * A call that began under a former name goes on under the present one. A caller that the room knows by a former name,
 * and by none that the caller itself remembers, had that one.
 */
export function actingAs(caller: Caller, room: Room, aliases: Aliases): Caller {
  const { members } = room.state;
  const present = aliases.get(caller.agentId);
  if (present !== undefined && members.has(present)) return { ...caller, agentId: present, formerId: caller.agentId };
  if (caller.formerId !== null && members.has(caller.formerId)) return caller;
  return { ...caller, formerId: formerNameIn(room, aliases, caller.agentId) ?? caller.formerId };
}

function formerNameIn({ state }: Room, aliases: Aliases, agentId: AgentId): AgentId | undefined {
  return [...aliases].find(([former, present]) => present === agentId && state.members.has(former))?.[0];
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
