/**
 * Sessions that live in the project and are in none of its rooms yet. They are known because their hooks have told of
 * them, or because an MCP server runs for them. They may be at work, and mail reaches them.
 */
import { processKey } from "../core/process.ts";
import { isRefusal } from "../core/refusal.ts";
import { meantToBeOut } from "../engine/departures.ts";
import type { Deps } from "../engine/deps.ts";
import { alivenessOf, ownNames } from "../engine/evidence.ts";
import { policyAmong } from "../engine/room-policies.ts";
import type { PeerView } from "../peers/rules/peers.ts";
import { type ProjectRooms, readProjectRooms } from "../room/project-sight.ts";
import type { Room } from "../room/rules/room.ts";
import { activityNow } from "../session/activity-now.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { Session } from "../session/rules/session.ts";
import { countUnread } from "./mailbox-reads.ts";

export type OutsideSight = Pick<ProjectRooms, "rooms" | "aliases" | "sessions">;

export function outsideSessions(deps: Deps, { rooms, sessions, aliases }: OutsideSight): readonly Session[] {
  const names = rooms.flatMap(({ state }) => [...state.members.keys()]);
  const inside = new Set(names.map((name) => aliases.get(name) ?? name));
  const named = [...sessions.values()].filter(({ sessionId }) => sessionId !== null);
  const namedProcesses = new Set(named.flatMap(({ process }) => (process ? [processKey(process)] : [])));
  return [...sessions.values()].filter((session) => {
    const { agentId, hooked, process, sessionId } = session;
    if (inside.has(agentId)) return false;
    // One process is one session. If a session is known only by its process, and another one with an id has the same
    // process, both are the same.
    if (sessionId === null && process && namedProcesses.has(processKey(process))) return false;
    const its = alivenessOf(deps, session, policyAmong(deps, rooms, agentId));
    return (hooked || its.isServed) && its.lives;
  });
}

export function outsidersOf(deps: Deps, project: ProjectRooms): Promise<readonly PeerView[]> {
  return Promise.all(outsideSessions(deps, project).map((session) => viewOf(deps, session)));
}

/** No holder can pass the stick to such a session, so it does not count as reachable, although mail reaches it. */
async function viewOf(deps: Deps, session: Session): Promise<PeerView> {
  const { agentId, harness, sessionId } = session;
  const { state, since } = activityNow(deps, session);
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
    // Only sessions that are seen to live are listed here, and those of other machines cannot be seen.
    place: { host: deps.host, bootId: null, hostSilentMs: null },
  };
}

/**
 * The sessions of the whole project that mail reaches although they are in no room. A session that was there first, or
 * one without hooks, does not join by itself when another session comes. It gets its mail at its next hook or call. A
 * session that left on purpose, or that a person sent away, gets none.
 */
export async function outsideRecipients(deps: Deps, caller: Caller, room: Room): Promise<readonly Session[]> {
  return (await lookOutside(deps, caller, room, await deps.store.readSessions(room.project))).outside;
}

/**
 * Only those whose directory lies in this room, and in no other one inside of it: a message to the room is for them, too.
 * `sessions`: those of the project.
 */
export async function outsideInRoom(
  deps: Deps,
  caller: Caller,
  room: Room,
  sessions: readonly Session[],
): Promise<readonly Session[]> {
  if (room.host !== deps.host) return [];
  const { outside, rooms } = await lookOutside(deps, caller, room, sessions);
  const paths = new Set([room.path, ...rooms.filter(({ host }) => host === deps.host).map(({ path }) => path)]);
  const lieHere = await Promise.all(outside.map(async ({ cwd }) => (await roomPathOf(deps, cwd, paths)) === room.path));
  return outside.filter((_, index) => lieHere[index]);
}

async function lookOutside(deps: Deps, caller: Caller, room: Room, sessions: readonly Session[]) {
  // Usually every live session is a member, and nothing more has to be read.
  const isStranger = (session: Session) =>
    !room.state.members.has(session.agentId) &&
    !isCaller(caller, session) &&
    (session.hooked || session.servers.length > 0) &&
    alivenessOf(deps, session, room.policy).lives;
  if (!sessions.some(isStranger)) return { outside: [], rooms: [] };
  const project = await readProjectRooms(deps, room.project);
  const outside = outsideSessions(deps, project).filter((session) => !isCaller(caller, session));
  const staying = await meantToBeOut(
    deps,
    outside.map(({ agentId }) => ({ agentId, formerId: null })),
    room.id,
  );
  const stays = new Set(staying.map(({ agentId }) => agentId));
  return { outside: outside.filter(({ agentId }) => !stays.has(agentId)), rooms: project.rooms };
}

function isCaller(caller: Caller, { agentId, process }: Session): boolean {
  if (ownNames(caller).includes(agentId)) return true;
  return process !== null && caller.process !== null && processKey(process) === processKey(caller.process);
}

/** The path of the deepest room around a directory. */
async function roomPathOf(deps: Deps, cwd: string | null, paths: ReadonlySet<string>): Promise<string | null> {
  const place = cwd === null ? null : await deps.workspace.locate(cwd);
  if (place === null || isRefusal(place)) return null;
  return place.candidates.find((path) => paths.has(path)) ?? null;
}
