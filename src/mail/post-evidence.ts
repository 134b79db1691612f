/** Whose processes must be known about before a message is sent. */

import type { AgentId } from "../core/ids.ts";
import type { ProcessRef } from "../core/process.ts";
import { elapsedMs, type Moment } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { everyWaiter, ownNames } from "../engine/evidence.ts";
import type { Concern } from "../engine/liveness-evidence.ts";
import type { Store } from "../engine/ports/store.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { SILENT_AFTER_MS } from "../session/rules/host-silence.ts";
import type { Addressee } from "./find-addressee.ts";
import type { Post } from "./rules/send.ts";
import { processesOfReceivers } from "./rules/will-be-seen.ts";

/** Whether the recipient is there and receiving, and whether the askers are still waiting. */
export function concernOfPost(
  { store, hosts }: Deps,
  caller: Caller,
  { to, elsewhere, outside = [] }: Addressee,
): Concern {
  return ({ room, moment, post }, known) => {
    const about = to === "room" ? [...room.state.members.keys(), ...outside] : [to];
    const doubtful = [...ownNames(caller), ...about].filter((agentId) =>
      isDoubtful(room, moment, agentId, hosts !== undefined),
    );
    const base = everyWaiter(doubtful)({ room, moment }, known);
    const theirs = post ? doorsIn(post, about) : (lately.get(store) ?? []);
    if (post) lately.set(store, theirs);
    const others = [room, ...elsewhere].flatMap((place) => processesOfWaits(place, about));
    return {
      ...base,
      processes: [...base.processes, ...elsewhere.flatMap((place) => processesOf(place, about))],
      doors: [...theirs, ...others],
    };
  };
}

/** Before the mailboxes are loaded, the processes that the last message concerned are the best guess for the next one. */
const lately = new WeakMap<Store, readonly (ProcessRef | null)[]>();

/** The processes that receive for these agents, and those that wait for a reply. */
function doorsIn({ boxes, asks }: Post, about: readonly AgentId[]): readonly (ProcessRef | null)[] {
  const receivers = about.flatMap((agentId) => boxes.get(agentId)?.receivers ?? []);
  return [...processesOfReceivers(receivers), ...asks.map(({ caller }) => caller)];
}

/**
 * An agent that was seen within the room's grace counts as there whatever its process does, so that is not looked at.
 * Where machines share the store, its machine may be silent before that.
 */
function isDoubtful({ presence, policy }: Room, { instant }: Moment, agentId: AgentId, isShared: boolean): boolean {
  const lastSeen = presence.get(agentId)?.lastSeen;
  const certainMs = isShared ? Math.min(policy.goneGraceMs, SILENT_AFTER_MS) : policy.goneGraceMs;
  return lastSeen === undefined || elapsedMs(lastSeen, instant) >= certainMs;
}

/** Agents that wait for a turn are shown mail meanwhile. */
function processesOfWaits(room: Room, agents: readonly AgentId[]) {
  return processesOf(
    room,
    agents.filter((agentId) => room.waits.has(agentId)),
  );
}

function processesOf(room: Room, agents: readonly AgentId[]) {
  return agents.flatMap((agentId) => [
    room.presence.get(agentId)?.process ?? null,
    room.waits.get(agentId)?.caller ?? null,
  ]);
}
