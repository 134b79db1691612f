/** Whom a name means: an exact id first, then a handle, then the only member of a harness. */
import type { Given } from "../given.ts";
import type { AgentId } from "../ids.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { isActive } from "../room/liveness.ts";
import type { Member, Room } from "../room/room.ts";

export function resolveRecipient(room: Room, given: Given, name: string): Member | Refusal {
  const members = [...room.state.members.values()];
  const byId = members.find((member) => member.agentId === name);
  if (byId) return byId;
  const byHandle = members.find((member) => room.presence.get(member.agentId)?.handle === name);
  if (byHandle) return byHandle;
  const byHarness = members.filter((member) => member.harness === name && isActive(room, member.agentId, given));
  const [only, ...others] = byHarness;
  if (only && others.length === 0) return only;
  if (only) return ambiguous(room, name, byHarness);
  return unknown(room, given, name, members);
}

function ambiguous(room: Room, name: string, found: readonly Member[]): Refusal {
  return refuse(
    "ambiguous_recipient",
    `${JSON.stringify(name)} means ${found.length} members.`,
    "Name one of the candidates.",
    { candidates: found.map((member) => nameOf(room, member.agentId)) },
  );
}

function unknown(room: Room, given: Given, name: string, members: readonly Member[]): Refusal {
  const active = members.filter((member) => isActive(room, member.agentId, given));
  return refuse(
    "unknown_recipient",
    `There is no member ${JSON.stringify(name)} in the room at ${room.path}.`,
    "Name one of the candidates by its id or handle.",
    { candidates: active.map((member) => nameOf(room, member.agentId)) },
  );
}

function nameOf(room: Room, agentId: AgentId): string {
  const handle = room.presence.get(agentId)?.handle;
  return handle ? `${handle} (${agentId})` : agentId;
}
