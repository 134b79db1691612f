/**
 * Sessions of a project that live and are in no room. They see nothing of us as long as they are alone. A session that
 * joins, by any door, raises their flags, and they join at their next hook.
 */

import type { Policy } from "../core/policy.ts";
import { processKey } from "../core/process.ts";
import { meantToBeOut } from "../engine/departures.ts";
import type { Deps } from "../engine/deps.ts";
import { alivenessOf, ownNames } from "../engine/evidence.ts";
import type { Room } from "../room/rules/room.ts";
import { raiseFlags } from "./hooked-sessions.ts";
import type { Caller } from "./rules/decision-input.ts";
import type { Session } from "./rules/session.ts";

/** The other sessions of the project that are proven to live here. One process is one session at a time. */
export async function liveOthers(
  deps: Deps,
  caller: Caller,
  project: string,
  policy: Policy,
): Promise<readonly Session[]> {
  const own = caller.process && processKey(caller.process);
  const sessions = await deps.store.readSessions(project);
  return sessions.filter((session) => {
    const { agentId, process } = session;
    if (ownNames(caller).includes(agentId)) return false;
    if (process && processKey(process) === own) return false;
    return alivenessOf(deps, session, policy).lives;
  });
}

/** Lets the sessions that have not joined yet look at their next hook. */
export async function flagSessionsWithoutRoom(deps: Deps, caller: Caller, room: Room): Promise<void> {
  flagSessions(deps, await sessionsWithoutRoom(deps, await liveOthers(deps, caller, room.project, room.policy), room));
}

export function flagSessions(deps: Deps, sessions: readonly Session[]): void {
  raiseFlags(
    deps,
    sessions,
    sessions.map(({ agentId }) => agentId),
  );
}

/** Those of the live sessions that will join at their next hook: they are in no room of the project, and may be. */
export async function sessionsWithoutRoom(
  deps: Deps,
  live: readonly Session[],
  room: Room,
): Promise<readonly Session[]> {
  const notHere = live.filter(({ hooked, agentId }) => hooked && !room.state.members.has(agentId));
  if (notHere.length === 0) return [];
  const { rooms } = await deps.store.readRooms({ project: room.project });
  const names = rooms.flatMap(({ state }) => [...state.members.keys()]);
  const inside = new Set([...names, ...(await deps.store.readAliases(names)).values()]);
  const outside = notHere.filter(({ agentId }) => !inside.has(agentId)).map((other) => ({ ...other, formerId: null }));
  const staying = await meantToBeOut(deps, outside, room.id);
  return outside.filter((other) => !staying.includes(other));
}
