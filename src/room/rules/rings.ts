/** The agents whose bells a change must ring: those that may act now, and those that its events name. */

import type { EventType } from "../../core/event.ts";
import type { AgentId } from "../../core/ids.ts";
import type { Change } from "./change.ts";
import { namesOf } from "./event-view.ts";
import type { Room } from "./room.ts";

/** A close, a pause, or new rules about time: each waiter sleeps by what was true before. */
const CONCERN_WAITERS: readonly EventType[] = ["close", "paused", "resumed", "policy_changed"];

export function agentsToRing(before: Room, { room, events, mail }: Change): readonly AgentId[] {
  const agents = new Set<AgentId>([...(mail?.deliveries.values() ?? [])].map(({ recipient }) => recipient));
  for (const event of events) {
    for (const name of namesOf(event)) agents.add(name);
    // A broadcast concerns every member.
    const concernsAll = event.type === "message_sent" && event.toAgentId === null;
    if (concernsAll) for (const agentId of room.state.members.keys()) agents.add(agentId);
    if (CONCERN_WAITERS.includes(event.type)) {
      for (const agentId of before.waits.keys()) agents.add(agentId);
    }
  }
  // A waiter that lost its place without asking for it should look again.
  for (const agentId of before.waits.keys()) if (!room.waits.has(agentId)) agents.add(agentId);
  return [...agents];
}
