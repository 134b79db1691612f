/**
 * Merging: a session that joined before its session id was known did so under a provisional name. As soon as it
 * calls under its own name, the two are one member: the place in the queue, the stick with its lease, the
 * reservation, the wait, the presence and the handle go on under the new name, and the old one stays an alias.
 *
 * Only the name that the caller's own evidence gives as its former one is merged, or that another room has merged into
 * the caller's: a provisional one, or that of the session which its process had until just now
 * (hooks/rules/succession.ts). Other sessions are never merged.
 */

import type { AgentId } from "../../core/ids.ts";
import { type Deadline, latest } from "../../core/time.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import type { Presence, Wait } from "../../session/rules/session.ts";
import { type Change, record, withRoom } from "./change.ts";
import { type Room, withEntry, withoutEntry } from "./room.ts";

export function mergeFormer(change: Change, given: Given): Change {
  const { agentId, formerId } = given.caller;
  if (formerId === null || formerId === agentId || !change.room.state.members.has(formerId)) return change;
  const recorded = record(
    change,
    given,
    "session_superseded",
    { supersededAgentId: formerId },
    { from: agentId, to: formerId },
  );
  const { room } = recorded;
  return withRoom(recorded, {
    presence: moved(room.presence, formerId, agentId, mergedPresence),
    waits: moved(room.waits, formerId, agentId, mergedWait),
    cooldown: renamedCooldown(room, formerId, agentId),
  });
}

function moved<Value extends { readonly agentId: AgentId }>(
  entries: ReadonlyMap<AgentId, Value>,
  from: AgentId,
  to: AgentId,
  merge: (own: Value, former: Value) => Value,
): ReadonlyMap<AgentId, Value> {
  const former = entries.get(from);
  if (!former) return entries;
  const own = entries.get(to);
  const value = own ? merge(own, former) : { ...former, agentId: to };
  return withEntry(withoutEntry(entries, from), to, value);
}

/** What is known under the session's own name counts; only what is missing there is taken over. */
function mergedPresence(own: Presence, former: Presence): Presence {
  return { ...own, process: own.process ?? former.process, tmuxPane: own.tmuxPane ?? former.tmuxPane };
}

/** One wait that lasts as long as the longer of the two, since the earlier of them. */
function mergedWait(own: Wait, former: Wait): Wait {
  return {
    ...own,
    claims: own.claims || former.claims,
    sinceAt: own.sinceAt < former.sinceAt ? own.sinceAt : former.sinceAt,
    deadline: later(own.deadline, former.deadline),
  };
}

function later(a: Deadline, b: Deadline): Deadline {
  return a.epoch === b.epoch ? latest(a, b) : a;
}

function renamedCooldown({ cooldown }: Room, from: AgentId, to: AgentId): Room["cooldown"] {
  return cooldown?.agentId === from ? { ...cooldown, agentId: to } : cooldown;
}
