/**
 * Gathering evidence, always before a transaction and never inside one. Only the processes on which a rule
 * could turn are looked at: the owner's, the reserved agent's, the waiters', and those of members that have
 * been silent for long. What was not looked at is unknown, and unknown takes nothing away.
 */
import type { Caller, Evidence, Given } from "../domain/given.ts";
import { type AgentId, asLeaseId } from "../domain/ids.ts";
import { type ProcessRef, type ProcessVerdict, processKey } from "../domain/process.ts";
import type { Room } from "../domain/room/room.ts";
import { nextInQueue } from "../domain/stick/queue.ts";
import { after, elapsedMs, type Instant, type Moment } from "../domain/time.ts";
import type { Deps } from "./deps.ts";

export function gatherEvidence(deps: Deps, room: Room, moment: Moment, also: readonly AgentId[] = []): Evidence {
  const agents = [...decisiveAgents(room, moment), ...room.waits.keys(), ...also];
  const callers = [...room.waits.values()].map((wait) => wait.caller);
  return evidenceAbout(deps, room, moment, { agents, callers });
}

/**
 * What a waiter needs to know to go on waiting. The other waiters are not looked at: whether they live matters to
 * whoever gives the stick away, and fifty who watched each other would use up the machine.
 */
export function gatherWaitersEvidence(deps: Deps, room: Room, moment: Moment, waiter: readonly AgentId[]): Evidence {
  return evidenceAbout(deps, room, moment, { agents: [...decisiveAgents(room, moment), ...waiter], callers: [] });
}

/**
 * What the holder needs to know to give the stick away: that the next one lives. The waiters are looked at in the
 * order of the queue up to the first who does, however many there are.
 */
export function gatherHandoverEvidence(deps: Deps, room: Room, moment: Moment, caller: Caller): Evidence {
  const agents = [...decisiveAgents(room, moment), ...ownNames(caller)];
  const { verdicts: known, activity } = evidenceAbout(deps, room, moment, { agents, callers: [] });
  const verdicts = new Map(known);
  const evidence = { verdicts, activity };
  const given = givenFor(deps, caller, moment, evidence);
  for (let seen: AgentId | null = null; ; ) {
    const next = nextInQueue(room, given, caller.agentId);
    if (next === null || next === seen) return evidence;
    seen = next;
    const processes = [room.presence.get(next)?.process ?? null, room.waits.get(next)?.caller ?? null];
    for (const [key, verdict] of verdictsOf(
      deps,
      processes.filter((process) => process !== null),
    )) {
      verdicts.set(key, verdict);
    }
  }
}

function evidenceAbout(
  deps: Deps,
  room: Room,
  moment: Moment,
  about: { readonly agents: readonly AgentId[]; readonly callers: readonly (ProcessRef | null)[] },
): Evidence {
  const agents = new Set(about.agents);
  const harnesses = [...agents].map((agentId) => room.presence.get(agentId)?.process ?? null);
  const processes = [...harnesses, ...about.callers].filter((process) => process !== null);
  return { verdicts: verdictsOf(deps, processes), activity: activityOf(deps, room, moment, agents) };
}

/** The same evidence, and whether these processes live. */
export function withVerdicts(deps: Deps, evidence: Evidence, processes: readonly (ProcessRef | null)[]): Evidence {
  const known = processes.filter((process) => process !== null);
  if (known.length === 0) return evidence;
  return { ...evidence, verdicts: new Map([...evidence.verdicts, ...verdictsOf(deps, known)]) };
}

/** Those on whose life the stick, or their own membership, depends now. */
function decisiveAgents(room: Room, moment: Moment): readonly AgentId[] {
  const { owner, reservation } = room.state;
  // Silence this long can cost a member its place, so it is asked whether it left other signs of life.
  const longMs = Math.min(room.policy.presenceTtlMs, room.policy.idleRoomTtlMs);
  const longSilent = [...room.presence.values()]
    .filter((presence) => elapsedMs(presence.lastSeen, moment.instant) >= longMs)
    .map((presence) => presence.agentId);
  return [owner, reservation?.agentId ?? null, ...longSilent].filter((id) => id !== null);
}

function verdictsOf(deps: Deps, processes: readonly ProcessRef[]): ReadonlyMap<string, ProcessVerdict> {
  const verdicts = new Map<string, ProcessVerdict>();
  for (const process of processes) {
    const key = processKey(process);
    if (!verdicts.has(key)) verdicts.set(key, deps.probe.verdict(process));
  }
  return verdicts;
}

function activityOf(deps: Deps, room: Room, moment: Moment, agents: Iterable<AgentId>): ReadonlyMap<AgentId, Instant> {
  const activity = new Map<AgentId, Instant>();
  for (const agentId of agents) {
    const sessionId = room.presence.get(agentId)?.sessionId ?? null;
    const sign = sessionId === null ? null : deps.activity.lastSign(sessionId);
    const seen = sign && onStoresClock(deps, sign, moment.instant);
    if (seen) activity.set(agentId, seen);
  }
  return activity;
}

/** Signs are told by this machine's clock, the room by the store's. Between two clocks only the age can be carried over. */
function onStoresClock(deps: Deps, sign: Instant, storeNow: Instant): Instant | null {
  if (sign.epoch === storeNow.epoch) return sign;
  const ageMs = elapsedMs(sign, deps.clock.now().instant);
  return Number.isFinite(ageMs) ? after(storeNow, -ageMs) : null;
}

/** The names under which the caller may be a member. */
export function ownNames({ agentId, formerId }: Caller): readonly AgentId[] {
  return formerId === null ? [agentId] : [agentId, formerId];
}

/** Everything a decision is given, with fresh ids. */
export function givenFor(deps: Deps, caller: Caller, moment: Moment, evidence: Evidence): Given {
  return { caller, moment, evidence, commandId: deps.random.id(), freshLeaseId: asLeaseId(deps.random.id()) };
}
