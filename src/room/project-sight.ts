/** Everything a look at the sessions of a project needs. Reads only. */

import type { AgentId } from "../core/ids.ts";
import type { StoredMailbox } from "../core/mail-records.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import type { Moment } from "../core/time.ts";
import type { Deps } from "../engine/deps.ts";
import { gatherEvidence, givenFor } from "../engine/evidence.ts";
import { locate } from "../engine/locate.ts";
import { OBSERVER } from "../engine/observer.ts";
import type { Whereabouts } from "../engine/ports/peer-sights.ts";
import { type RoomSight, type Seat, seatsOf } from "../peers/rules/peers.ts";
import type { Session } from "../session/rules/session.ts";
import { type FindRefusal, findRoom } from "./find-room.ts";
import { type Reachability, reachabilityOf } from "./reachability.ts";
import type { Room } from "./rules/room.ts";
import { afterSleep } from "./rules/settle.ts";

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
  const pairs = await Promise.all(names.map(async (name) => [name, await deps.store.resolveAlias(name)] as const));
  const aliases = new Map(pairs.filter(([name, present]) => name !== present));
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

/** The rooms with evidence about all their members. */
export function sightsOf(
  deps: Deps,
  { rooms, moment }: ProjectRooms,
  reachability: Partial<Reachability> = {},
): readonly RoomSight[] {
  return rooms.map((room) => {
    const evidence = gatherEvidence(deps, room, moment, [...room.presence.keys()]);
    const given = givenFor(deps, OBSERVER, moment, { ...evidence, ...reachability });
    // Not settled: members that are long gone still show in a full list. But a sleep of the machine ends no wait.
    return { room: afterSleep(room, moment), given };
  });
}

/** Who of them can be reached now. */
export function reachabilityInProject(
  deps: Deps,
  { project, rooms, moment, aliases, sessions }: ProjectRooms,
  boxes: ReadonlyMap<AgentId, StoredMailbox>,
): Promise<Reachability> {
  const former = [...aliases].flatMap(([name, present]) => {
    const box = boxes.get(present);
    return box ? [[name, box] as const] : [];
  });
  const byName = new Map([...boxes, ...former]);
  return reachabilityOf(deps, { project, rooms, moment, sessions: sessions.values(), boxes: byName });
}

export async function readBoxes(
  deps: Deps,
  { rooms, aliases }: ProjectRooms,
): Promise<ReadonlyMap<AgentId, StoredMailbox>> {
  const names = rooms.flatMap((room) => [...room.state.members.keys()]).map((name) => aliases.get(name) ?? name);
  const boxes = await Promise.all(
    [...new Set(names)].map(async (name) => {
      const { window } = await deps.store.readMailbox(name, { kind: "messages", ids: [] });
      return [name, window.box] as const;
    }),
  );
  return new Map(boxes);
}

/** Where each session of this machine can be looked for. One of another machine cannot. */
export function whereaboutsOf(deps: Deps, project: ProjectRooms, sights: readonly RoomSight[]) {
  const found = new Map<AgentId, Whereabouts>();
  for (const [agentId, seats] of seatsOf(sights, project.aliases)) {
    const here = seats.filter(({ room }) => room.host === deps.host);
    if (here.length > 0) found.set(agentId, whereabouts(here, project.sessions.get(agentId)));
  }
  return found as ReadonlyMap<AgentId, Whereabouts>;
}

function whereabouts(seats: readonly Seat[], session: Session | undefined): Whereabouts {
  const [seat] = seats;
  const harness = seat?.room.state.members.get(seat.agentId)?.harness ?? "agent";
  return {
    harness,
    sessionId: seats.flatMap(({ presence }) => presence?.sessionId ?? [])[0] ?? session?.sessionId ?? null,
    process: seats.flatMap(({ presence }) => presence?.process ?? [])[0] ?? null,
    cwd: session?.cwd ?? seat?.room.path ?? null,
    transcriptPath: session?.transcriptPath ?? null,
    ...(session && { activity: session.activity }),
  };
}
