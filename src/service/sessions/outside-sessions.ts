/** Sessions that live in the project, as their hooks told, and are in none of its rooms yet: they may be at work all the same. */
import type { PeerView } from "../../domain/session/peers.ts";
import type { Session } from "../../domain/session/session.ts";
import type { Deps } from "../deps.ts";
import { isProvenToLive } from "../hooks/outsiders.ts";
import { countUnread } from "../mail/count-unread.ts";
import { policyAmong } from "../room-policies.ts";
import type { ProjectRooms } from "./project-sight.ts";

export function outsideSessions(deps: Deps, { rooms, sessions, aliases }: ProjectRooms): readonly Session[] {
  const names = rooms.flatMap(({ state }) => [...state.members.keys()]);
  const inside = new Set(names.map((name) => aliases.get(name) ?? name));
  return [...sessions.values()].filter((session) => {
    const { agentId, hooked } = session;
    return hooked && !inside.has(agentId) && isProvenToLive(deps, session, policyAmong(deps, rooms, agentId));
  });
}

export function outsidersOf(deps: Deps, project: ProjectRooms): Promise<readonly PeerView[]> {
  return Promise.all(outsideSessions(deps, project).map((session) => viewOf(deps, session)));
}

/** Nobody can pass it the stick, so it does not count as reachable, whoever writes to it. */
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
