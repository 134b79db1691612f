/**
 * Sessions of a project that live and are in no room. They see nothing of us as long as they are alone. A session that
 * joins, by any door, raises their flags, and they join at their next hook.
 */

import type { AgentId } from "../core/ids.ts";
import type { Policy } from "../core/policy.ts";
import { processKey } from "../core/process.ts";
import { meantToBeOut } from "../engine/departures.ts";
import type { Deps } from "../engine/deps.ts";
import { ownNames } from "../engine/evidence.ts";
import type { Room } from "../room/rules/room.ts";
import { wasActiveLately } from "./hooked-sessions.ts";
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
    return isProvenToLive(deps, session, policy);
  });
}

export function isProvenToLive(deps: Deps, session: Session, policy: Policy): boolean {
  const { process, hooked, sessionId } = session;
  if (process) return deps.probe.verdict(process) === "alive";
  return (hooked && wasActiveLately(deps, sessionId, policy)) || isServed(deps, session);
}

/** Where the environment of a server names a session, its client serves no other. */
const BY_ENVIRONMENT: readonly Session["idSource"][] = ["explicit", "environment"];

/** Whether an MCP server of ours runs for the session, and for it alone. */
export function isServed({ probe }: Deps, { process, idSource, servers }: Session): boolean {
  if (process === null && !BY_ENVIRONMENT.includes(idSource)) return false;
  return servers.some((server) => probe.verdict(server) === "alive");
}

/** Lets the sessions that have not joined yet look at their next hook. The answer is how many will join. */
export async function callOutsiders(deps: Deps, caller: Caller, room: Room): Promise<number> {
  const { project, policy } = room;
  const others = (await liveOthers(deps, caller, project, policy)).filter(({ hooked }) => hooked);
  if (others.length === 0) return 0;
  const { rooms } = await deps.store.readRooms({ project });
  const isInside = (agentId: AgentId) => rooms.some(({ state }) => state.members.has(agentId));
  const outside = others.filter(({ agentId }) => !isInside(agentId)).map((other) => ({ ...other, formerId: null }));
  const staying = await meantToBeOut(deps, outside, room.id);
  const coming = outside.filter((other) => !staying.includes(other));
  deps.flags?.raise(coming.flatMap(({ sessionId }) => sessionId ?? []));
  return coming.length;
}
