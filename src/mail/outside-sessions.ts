/**
 * Sessions that live in the project and are in none of its rooms yet: their hooks have told of them, or an MCP server runs
 * for them. They may be at work anyway, and mail reaches them.
 */
import { processKey } from "../core/process.ts";
import type { Deps } from "../engine/deps.ts";
import { policyAmong } from "../engine/room-policies.ts";
import type { PeerView } from "../peers/rules/peers.ts";
import type { ProjectRooms } from "../room/project-sight.ts";
import type { Session } from "../session/rules/session.ts";
import { isProvenToLive, isServed } from "../session/sessions-without-room.ts";
import { countUnread } from "./count-unread.ts";

export type OutsideSight = Pick<ProjectRooms, "rooms" | "aliases" | "sessions">;

export function outsideSessions(deps: Deps, { rooms, sessions, aliases }: OutsideSight): readonly Session[] {
  const names = rooms.flatMap(({ state }) => [...state.members.keys()]);
  const inside = new Set(names.map((name) => aliases.get(name) ?? name));
  const named = [...sessions.values()].filter(({ sessionId }) => sessionId !== null);
  const namedProcesses = new Set(named.flatMap(({ process }) => (process ? [processKey(process)] : [])));
  return [...sessions.values()].filter((session) => {
    const { agentId, hooked, process, sessionId } = session;
    if (inside.has(agentId) || !(hooked || isServed(deps, session))) return false;
    // One process is one session: what is known by its process alone is the session that has an id.
    if (sessionId === null && process && namedProcesses.has(processKey(process))) return false;
    return isProvenToLive(deps, session, policyAmong(deps, rooms, agentId));
  });
}

export function outsidersOf(deps: Deps, project: ProjectRooms): Promise<readonly PeerView[]> {
  return Promise.all(outsideSessions(deps, project).map((session) => viewOf(deps, session)));
}

/** Nobody can pass it the stick, so it does not count as reachable, although mail reaches it. */
async function viewOf(deps: Deps, session: Session): Promise<PeerView> {
  const { agentId, harness, sessionId } = session;
  const { state, since } = deps.sights?.activity(session) ?? session.activity;
  return {
    agentId,
    handle: null,
    harness,
    sessionId,
    stateCard: null,
    activity: state,
    activitySince: since,
    holdsStick: false,
    reachable: false,
    unread: await countUnread(deps, { agentId }, null),
    lastSeenAt: null,
    status: "active",
  };
}
