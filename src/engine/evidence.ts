/**
 * Gathers evidence, always before a transaction and never inside one. It looks only at processes that a rule may
 * depend on: those of the owner, of the reserved agent, of the waiters, and of members that have been silent for long.
 */

import { type AgentId, leaseIdFrom } from "../core/ids.ts";
import type { Policy } from "../core/policy.ts";
import { type ProcessRef, processKey } from "../core/process.ts";
import { elapsedMs, type Moment } from "../core/time.ts";
import { aheadInQueue, nextInQueue } from "../room/rules/queue.ts";
import type { Room } from "../room/rules/room.ts";
import { afterSleep } from "../room/rules/settle.ts";
import { type Aliveness, aliveness } from "../session/rules/aliveness.ts";
import { type Caller, type Evidence, type Given, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import { OBSERVER } from "../session/rules/observer.ts";
import type { Session } from "../session/rules/session.ts";
import type { Deps } from "./deps.ts";
import { isOrphaned } from "./is-orphaned.ts";
import { type Concern, EvidenceCollector, type RoomAtMoment } from "./liveness-evidence.ts";

export function gatherEvidence(
  deps: Deps,
  roomAtMoment: RoomAtMoment,
  also: readonly AgentId[] = [],
): Promise<Evidence> {
  return foundFor(deps, everyWaiter(also), roomAtMoment);
}

/**
 * What a waiter needs to know to go on waiting. It looks only at the waiters right before it, up to the first that
 * lives. So one waiter finds each dead call. If fifty waiters all watched each other, they would use up the machine.
 */
export async function gatherWaitersEvidence(
  deps: Deps,
  { room, moment }: RoomAtMoment,
  waiter: Caller,
): Promise<Evidence> {
  const agents = [...decisiveAgents(room, moment), ...ownNames(waiter)];
  const self = processKey(deps.probe.self());
  const own = room.waits.get(waiter.agentId)?.caller ?? null;
  const concern: Concern = (_, evidence) => {
    const ahead = aheadInQueue(room, { moment, evidence }, waiter.agentId);
    const before = ahead === null ? null : (room.waits.get(ahead)?.caller ?? null);
    return { agents, processes: [before, own && processKey(own) !== self ? own : null] };
  };
  return withOrphanCheck(deps, waiter, await foundFor(deps, concern, { room, moment }));
}

/** The same evidence, and whether the caller's harness is gone. */
export function withOrphanCheck(deps: Deps, caller: Caller, evidence: Evidence): Evidence {
  return { ...evidence, orphaned: isOrphaned(deps, caller) };
}

async function foundFor(deps: Deps, concern: Concern, roomAtMoment: RoomAtMoment): Promise<Evidence> {
  const collector = new EvidenceCollector(deps);
  await collector.lookAt(concern, roomAtMoment);
  return collector.at(roomAtMoment.moment);
}

/** What a decision needs to know of a room before the caller joins. */
export function gatherCallersEvidence(deps: Deps, roomAtMoment: RoomAtMoment, caller: Caller): Promise<Evidence> {
  return foundFor(deps, andCaller(caller, everyWaiter(ownNames(caller))), roomAtMoment);
}

/**
 * The same concern, and also the caller. A dead process must not replace a live one by which the room knows the
 * session. The caller's own process is always looked at, because the room may know the session by another one when the
 * change is made.
 */
export function andCaller(caller: Caller, concern: Concern): Concern {
  return (roomAtMoment, evidence) => {
    const about = concern(roomAtMoment, evidence);
    const { agentId, process } = caller;
    if (!process) return about;
    const known = roomAtMoment.room.presence.get(agentId);
    const isSame = known?.process && processKey(known.process) === processKey(process);
    const agents = known && !isSame ? [...about.agents, agentId] : about.agents;
    return { ...about, agents, processes: [...about.processes, process] };
  };
}

/** For most changes: the agents that the stick depends on, all waiters, and the agents in `also`. */
export function everyWaiter(also: readonly AgentId[]): Concern {
  return ({ room, moment }) => ({
    agents: [...decisiveAgents(room, moment), ...room.waits.keys(), ...also],
    processes: [...room.waits.values()].map((wait) => wait.caller),
  });
}

/**
 * What the holder needs to know to give the stick away: that the next waiter lives. Looks at the waiters in the order
 * of the queue, up to the first that lives.
 */
export function nextWaiter(caller: Caller): Concern {
  return (roomAtMoment, evidence) => {
    const { moment } = roomAtMoment;
    // A wait that the machine slept through still counts.
    const room = afterSleep(roomAtMoment.room, moment);
    // A caller that is not the holder gives nothing away, but an expired reservation may go to any waiter.
    if (!ownNames(caller).some((name) => name === room.state.owner))
      return everyWaiter(ownNames(caller))(roomAtMoment, evidence);
    const next = nextInQueue(room, { moment, evidence }, caller.agentId);
    const theirs = next === null ? [] : [room.presence.get(next)?.process, room.waits.get(next)?.caller];
    return {
      agents: [...decisiveAgents(room, moment), ...ownNames(caller)],
      processes: theirs.map((process) => process ?? null),
    };
  };
}

/** The same evidence, and whether these processes live. */
export function withVerdicts(deps: Deps, evidence: Evidence, processes: readonly (ProcessRef | null)[]): Evidence {
  const known = new Map(processes.flatMap((process) => (process ? [[processKey(process), process]] : [])));
  const verdicts = [...known].map(([key, process]) => [key, deps.probe.verdict(process)] as const);
  return { ...evidence, verdicts: new Map([...evidence.verdicts, ...verdicts]) };
}

/** The evidence about several rooms as one. */
export function joinedEvidence(found: readonly Evidence[]): Evidence {
  return {
    verdicts: new Map(found.flatMap(({ verdicts }) => [...verdicts])),
    renamed: new Map(found.flatMap(({ renamed = [] }) => [...renamed])),
    activity: new Map(found.flatMap(({ activity }) => [...activity])),
    hosts: new Map(found.flatMap(({ hosts = [] }) => [...hosts])),
  };
}

/** The same, and whether these processes are suspended. */
export function withDoors(deps: Deps, evidence: Evidence, processes: readonly ProcessRef[]): Evidence {
  const stopped = processes.filter((process) => deps.probe.isSuspended(process));
  return { ...withVerdicts(deps, evidence, processes), suspended: new Set(stopped.map(processKey)) };
}

/** The aliveness of a session by its row, as this machine sees it now. */
export function alivenessOf(deps: Deps, row: Session, policy: Policy): Aliveness {
  const { agentId, process, sessionId, servers } = row;
  const sign = process || sessionId === null ? null : deps.activity.lastSign(sessionId);
  const evidence = withDoors(deps, withVerdicts(deps, NO_EVIDENCE, servers), process ? [process] : []);
  const sight = { moment: deps.clock.now(), evidence: { ...evidence, activity: new Map([[agentId, sign]]) } };
  return aliveness({ agentId, row }, sight, policy);
}

/** The agents whose liveness decides about the stick, or about their own membership, now. */
function decisiveAgents(room: Room, moment: Moment): readonly AgentId[] {
  const { owner, reservation } = room.state;
  // A member that is silent for this long can lose its place, so look for other signs of life.
  const longMs = Math.min(room.policy.presenceTtlMs, room.policy.idleRoomTtlMs);
  const longSilent = [...room.presence.values()]
    .filter((presence) => elapsedMs(presence.lastSeen, moment.instant) >= longMs)
    .map((presence) => presence.agentId);
  return [owner, reservation?.agentId ?? null, ...longSilent].filter((id) => id !== null);
}

/** The names under which the caller may be a member. */
export function ownNames({ agentId, formerId }: Pick<Caller, "agentId" | "formerId">): readonly AgentId[] {
  return formerId === null ? [agentId] : [agentId, formerId];
}

/** Everything that a look at a room is given: evidence about every member, unless `about` names others. */
export async function lookAtRoom(
  deps: Deps,
  roomAtMoment: RoomAtMoment,
  {
    caller = OBSERVER,
    about = [...roomAtMoment.room.presence.keys()],
  }: { caller?: Caller; about?: readonly AgentId[] } = {},
): Promise<Given> {
  return givenFor(deps, caller, roomAtMoment.moment, await gatherEvidence(deps, roomAtMoment, about));
}

/** Rooms as a look shows them: a sleep of the machine ends no wait. Nothing else is settled. */
export async function lookAtRooms(
  deps: Deps,
  { rooms, moment }: { readonly rooms: readonly Room[]; readonly moment: Moment },
  caller: Caller | null = null,
): Promise<readonly { readonly room: Room; readonly given: Given }[]> {
  const seen = [];
  for (const room of rooms) {
    const given = await lookAtRoom(deps, { room, moment }, { caller: caller ?? OBSERVER });
    seen.push({ room: afterSleep(room, moment), given });
  }
  return seen;
}

/** Everything a decision is given, with fresh ids. */
export function givenFor(deps: Deps, caller: Caller, moment: Moment, evidence: Evidence): Given {
  return { caller, moment, evidence, commandId: deps.random.id(), freshLeaseId: leaseIdFrom(deps.random.id()) };
}
