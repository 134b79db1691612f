/** Sessions that live in the project, as their hooks told, and are in none of its rooms yet: they may be at work all the same. */
import type { PeerView } from "../../domain/session/peers.ts";
import type { Session } from "../../domain/session/session.ts";
import type { Deps } from "../deps.ts";
import { isProvenToLive } from "../hooks/outsiders.ts";
import { countUnread } from "../mail/count-unread.ts";
import { policyAmong } from "../room-policies.ts";
import type { ProjectRooms } from "./project-sight.ts";

export async function outsideSessions(deps: Deps, { rooms, sessions }: ProjectRooms): Promise<readonly PeerView[]> {
  const outside = [...sessions.values()].filter((session) => {
    const { agentId, hooked } = session;
    if (!hooked || rooms.some(({ state }) => state.members.has(agentId))) return false;
    return isProvenToLive(deps, session, policyAmong(deps, rooms, agentId));
  });
  return Promise.all(outside.map((session) => viewOf(deps, session)));
}

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
