/** Members that are gone for good: pruning takes them out of a room, where nothing else proves that they are. */

import type { AgentId } from "../../core/ids.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { begin, type Decision } from "./change.ts";
import { alivenessIn } from "./liveness.ts";
import type { Room } from "./room.ts";
import { removeMember } from "./settle.ts";

/** Members that were away for so long, and are not seen to live. The holder, the reserved agent and waiters stay. */
export function absentMembers(room: Room, given: Given, forMs: number): readonly AgentId[] {
  const { owner, reservation, members } = room.state;
  return [...members.keys()].filter((agentId) => {
    if (agentId === owner || agentId === reservation?.agentId || room.waits.has(agentId)) return false;
    const { process, isActive, absentMs } = alivenessIn(room, agentId, given);
    return process !== "alive" && !isActive && absentMs >= forMs;
  });
}

/** At most so many leave in one change, because others wait for its end. The answer is how many did. */
export const MOST_AT_ONCE = 250;

export function expireMembers(room: Room, given: Given, forMs: number): Decision<number> {
  const absent = new Set(absentMembers(room, given, forMs).slice(0, MOST_AT_ONCE));
  if (absent.size === 0) return { change: begin(room), answer: 0 };
  // Each departure copies the members, and those that stay need not be copied every time.
  const leaving = withMembers(room, (agentId) => absent.has(agentId));
  let change = begin(leaving);
  for (const agentId of absent) change = removeMember(change, given, agentId, "expired");
  const staying = withMembers(room, (agentId) => !absent.has(agentId));
  const after = {
    ...change.room,
    state: { ...change.room.state, members: staying.state.members },
    presence: staying.presence,
  };
  return { change: { ...change, room: after }, answer: absent.size };
}

function withMembers(room: Room, isKept: (agentId: AgentId) => boolean): Room {
  const kept = <Value>(entries: ReadonlyMap<AgentId, Value>) =>
    new Map([...entries].filter(([agentId]) => isKept(agentId)));
  return { ...room, state: { ...room.state, members: kept(room.state.members) }, presence: kept(room.presence) };
}
