/** Everything a look at the sessions of a project needs. Reads only. */

import type { AgentId } from "../core/ids.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import type { Moment } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { locate } from "../engine/locate.ts";
import type { Whereabouts } from "../engine/ports/peer-sights.ts";
import { type RoomSight, seatsOf } from "../peers/rules/peers.ts";
import type { Session } from "../session/rules/session.ts";
import { whereaboutsOf } from "../session/wake-facts.ts";
import { type FindRefusal, findRoom } from "./find-room.ts";
import type { Room } from "./rules/room.ts";

export interface ProjectInput {
  /** The directory whose project is meant. */
  readonly contextPath: string;
  /** Or a room of it. */
  readonly roomId?: string | undefined;
}

export interface ProjectRooms {
  readonly project: string;
  readonly moment: Moment;
  readonly rooms: readonly Room[];
  readonly aliases: ReadonlyMap<AgentId, AgentId>;
  readonly sessions: ReadonlyMap<AgentId, Session>;
}

export async function readProject(deps: Deps, input: ProjectInput): Promise<ProjectRooms | Refusal<FindRefusal>> {
  const project = await projectOf(deps, input);
  return typeof project === "string" ? readProjectRooms(deps, project) : project;
}

export async function readProjectRooms(deps: Deps, project: string): Promise<ProjectRooms> {
  const { moment, rooms } = await deps.store.readRooms({ project });
  const names = [...new Set(rooms.flatMap((room) => [...room.state.members.keys()]))];
  const aliases = await deps.store.readAliases(names);
  const sessions = new Map((await deps.store.readSessions(project)).map((session) => [session.agentId, session]));
  return { project, moment, rooms, aliases, sessions };
}

async function projectOf(deps: Deps, { contextPath, roomId }: ProjectInput): Promise<string | Refusal<FindRefusal>> {
  if (roomId !== undefined) {
    const room = await findRoom(deps, { roomId, contextPath });
    return isRefusal(room) ? room : room.project;
  }
  const place = await locate(deps, contextPath);
  return isRefusal(place) ? place : place.project;
}

/** Where each session of this machine can be looked for. One of another machine cannot. */
export function whereaboutsIn(deps: Deps, project: ProjectRooms, sights: readonly RoomSight[]) {
  const found = new Map<AgentId, Whereabouts>();
  for (const [agentId, seats] of seatsOf(sights, project.aliases)) {
    const here = seats.filter(({ room }) => room.host === deps.host);
    if (here.length > 0) found.set(agentId, whereaboutsOf(deps, here, project.sessions.get(agentId) ?? null));
  }
  return found as ReadonlyMap<AgentId, Whereabouts>;
}
