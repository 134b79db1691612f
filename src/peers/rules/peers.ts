/** The sessions of a project as their peers see them: one entry each, however many rooms they are members of. */
import type { StateCard } from "../../core/event.ts";
import type { AgentId, Handle } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import type { BootRef } from "../../core/process.ts";
import { elapsedMs } from "../../core/time.ts";
import type { Aliases } from "../../room/rules/alias.ts";
import { alivenessIn } from "../../room/rules/liveness.ts";
import type { Room } from "../../room/rules/room.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { isElsewhere, machinesSeen } from "../../session/rules/host-silence.ts";
import type { Activity, ActivityState, Presence } from "../../session/rules/session.ts";

/** A room, and what is known about those in it. */
export interface RoomSight {
  readonly room: Room;
  readonly given: Given;
}

export interface ProjectSight {
  /** A process of the reader's machine. */
  readonly self: BootRef;
  /** The room that changed last comes first. */
  readonly rooms: readonly RoomSight[];
  /** Present names of members that a room still knows by a former one. */
  readonly aliases: Aliases;
  /** How much mail waits for each of them. */
  readonly unread: ReadonlyMap<AgentId, number>;
  readonly activities: ReadonlyMap<AgentId, Activity>;
}

export interface PeerView {
  readonly agentId: AgentId;
  readonly handle: Handle | null;
  readonly harness: string;
  readonly sessionId: string | null;
  readonly stateCard: StateCard | null;
  readonly activity: ActivityState;
  readonly activitySince: string | null;
  readonly holdsStick: boolean;
  readonly reachable: boolean;
  readonly unread: number;
  readonly lastSeenAt: string | null;
  readonly status: "active" | "inactive";
  readonly place: Place;
}

interface Place {
  /** The id of the machine that it runs on. */
  readonly host: string;
  /** The run of that machine; null if no process is known. */
  readonly bootId: string | null;
  /** For how long that machine is silent; null if it is not. */
  readonly hostSilentMs: number | null;
}

/** One name of a session in one room. */
export interface Seat extends RoomSight {
  readonly agentId: AgentId;
  readonly presence: Presence | null;
}

/** Every session's places, by its present name. */
export function seatsOf(rooms: readonly RoomSight[], aliases: Aliases): ReadonlyMap<AgentId, readonly Seat[]> {
  const seats = new Map<AgentId, Seat[]>();
  for (const sight of rooms) {
    for (const agentId of sight.room.state.members.keys()) {
      const present = aliases.get(agentId) ?? agentId;
      const presence = sight.room.presence.get(agentId) ?? null;
      seats.set(present, [...(seats.get(present) ?? []), { ...sight, agentId, presence }]);
    }
  }
  return seats;
}

/** Sorted by handle, so that a list keeps its order when a session appears. */
export function peersOf(sight: ProjectSight): readonly PeerView[] {
  const silentMsOf = silencesIn(sight);
  const peers = [...seatsOf(sight.rooms, sight.aliases)].map(([agentId, seats]) =>
    peerOf(agentId, seats, placeOf(seats, silentMsOf), sight),
  );
  return peers.toSorted((a, b) => compare(a.handle ?? a.agentId, b.handle ?? b.agentId));
}

function peerOf(
  agentId: AgentId,
  seats: readonly Seat[],
  place: Place,
  { unread, activities }: ProjectSight,
): PeerView {
  const active = seats.some((seat) => alivenessIn(seat.room, seat.agentId, seat.given).isActive);
  const member = (seat: Seat) => seat.room.state.members.get(seat.agentId);
  const activity = active ? activities.get(agentId) : undefined;
  const seen = seats.flatMap(({ presence }) => presence?.lastSeenAt ?? []).toSorted();
  return {
    agentId,
    handle: seats.flatMap(({ presence }) => presence?.handle ?? [])[0] ?? null,
    harness: seats.flatMap((seat) => member(seat)?.harness ?? [])[0] ?? "agent",
    sessionId: seats.flatMap(({ presence }) => presence?.sessionId ?? [])[0] ?? null,
    stateCard: seats.flatMap((seat) => member(seat)?.card ?? [])[0] ?? null,
    activity: activity?.state ?? "unknown",
    activitySince: activity?.since ?? null,
    holdsStick: seats.some((seat) => seat.room.state.owner === seat.agentId),
    reachable: seats.some((seat) => alivenessIn(seat.room, seat.agentId, seat.given).isReachable),
    unread: unread.get(agentId) ?? 0,
    lastSeenAt: seen.at(-1) ?? null,
    status: active ? "active" : "inactive",
    place,
  };
}

/** For how long the machine of a session in a room is silent, as people are told. */
function silencesIn({ rooms, self }: ProjectSight): (seat: Seat) => number | null {
  const sight = rooms.find(({ given }) => given.evidence.hosts)?.given;
  const hosts = sight?.evidence.hosts;
  if (!sight || !hosts) return () => null;
  const seen = machinesSeen(
    rooms.flatMap(({ room }) => [...room.presence.values()]),
    sight,
  );
  return ({ room, agentId, given, presence }) => {
    const process = presence?.process;
    if (!process || !isElsewhere(process, self, hosts)) return null;
    if (alivenessIn(room, agentId, given).process !== "unknown") return null;
    const { silentSince } = seen(process);
    return silentSince && Math.floor(elapsedMs(silentSince, sight.moment.instant));
  };
}

/** Its seats may be in rooms of several machines; its process is on one. */
function placeOf(seats: readonly Seat[], silentMsOf: (seat: Seat) => number | null): Place {
  const newest = seats.toSorted((a, b) => compare(b.presence?.lastSeenAt ?? "", a.presence?.lastSeenAt ?? ""))[0];
  invariant(newest, "a session has a place in a room");
  const { host = newest.room.host, bootId = null } = newest.presence?.process ?? {};
  return { host, bootId, hostSilentMs: silentMsOf(newest) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
