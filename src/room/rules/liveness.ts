/**
 * Liveness: evidence in, verdict out.
 *
 * A process is alive, gone or unknown, and an unknown one loses nothing. *Persistently gone* is the one
 * definition used for the stick, for kicks and for lists: the process is gone and nothing was heard for the
 * room's grace. *Active* means seen lately and not persistently gone. *Waiting* and *receiving* are registered
 * waits; an agent with a receiver that shows its mail as it comes is receiving, too. *Reachable* is an agent that is
 * either, or at work with hooks that show its mail, or whose harness is proven to take a wake: one definition for the
 * state of a room, for lists and for passing the stick.
 *
 * A wait outlives its call by the room's grace. One whose call came to its own end keeps its place for that long, since
 * its agent was told to call again. One that was *cut off*, because the calling process died before the call was over,
 * is served after all others: nothing says that its agent will call again.
 */

import type { AgentId } from "../../core/ids.ts";
import { type ProcessRef, type ProcessVerdict, processKey } from "../../core/process.ts";
import { after, type Deadline, elapsedMs, hasPassed, type Instant, latest, wallMsOf } from "../../core/time.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import type { Room, Wait } from "./room.ts";

export function verdictOf(process: ProcessRef | null, given: Given): ProcessVerdict {
  if (process === null) return "unknown";
  return given.evidence.verdicts.get(processKey(process)) ?? "unknown";
}

/** It lives, but does nothing until it is continued. */
export function isSuspended(process: ProcessRef | null, { evidence }: Given): boolean {
  return process !== null && evidence.suspended?.has(processKey(process)) === true;
}

/** When the agent was last seen: in a call, or by a sign that its hooks left. */
function lastSign(room: Room, agentId: AgentId, given: Given): Instant | null {
  const seen = room.presence.get(agentId)?.lastSeen ?? null;
  const sign = given.evidence.activity.get(agentId) ?? null;
  if (seen === null || sign === null) return seen ?? sign;
  return latest(seen, sign);
}

export function silentForMs(room: Room, agentId: AgentId, given: Given): number {
  const sign = lastSign(room, agentId, given);
  return sign === null ? Number.POSITIVE_INFINITY : elapsedMs(sign, given.moment.instant);
}

/** The same for people, in whole milliseconds; null when it is unknown. */
export function toldSilenceMs(room: Room, agentId: AgentId, given: Given): number | null {
  const silentMs = silentForMs(room, agentId, given);
  return Number.isFinite(silentMs) ? Math.floor(silentMs) : null;
}

/** How long it has been away. After a reboot, fall back to wall-clock time. */
export function absentForMs(room: Room, agentId: AgentId, given: Given): number {
  const silentMs = silentForMs(room, agentId, given);
  const { lastSeenAt } = room.presence.get(agentId) ?? {};
  if (Number.isFinite(silentMs) || lastSeenAt === undefined) return silentMs;
  return Math.max(0, given.moment.wallMs - wallMsOf(lastSeenAt));
}

function harnessVerdict(room: Room, agentId: AgentId, given: Given): ProcessVerdict {
  return verdictOf(room.presence.get(agentId)?.process ?? null, given);
}

export function isPersistentlyGone(room: Room, agentId: AgentId, given: Given): boolean {
  return (
    harnessVerdict(room, agentId, given) === "gone" && silentForMs(room, agentId, given) >= room.policy.goneGraceMs
  );
}

/** A registered wait that still counts: its time is not over and its harness is not gone. */
export function liveWait(room: Room, agentId: AgentId, given: Given): Wait | null {
  const wait = room.waits.get(agentId);
  if (!wait || hasPassed(wait.deadline, given.moment.instant)) return null;
  return harnessVerdict(room, agentId, given) === "gone" ? null : wait;
}

/** The calling process is proven to have died before the call was over, or was once found so. */
export function isCutOff(room: Room, wait: Wait, given: Given): boolean {
  if (wait.caller === null) return true;
  // Every waiter checks every waiter at every look, and mostly none is gone.
  if (!isAnybodyGone(given)) return false;
  return verdictOf(wait.caller, given) === "gone" && !callIsOver(room, wait, given);
}

function isAnybodyGone({ evidence }: Given): boolean {
  for (const verdict of evidence.verdicts.values()) if (verdict === "gone") return true;
  return false;
}

/** Whether the call has come to its own end, and only its place in the queue is left. */
export function callIsOver({ policy }: Room, { deadline }: Wait, given: Given): boolean {
  return hasPassed(after(deadline, -policy.waitGraceMs), given.moment.instant);
}

export function isWaiting(room: Room, agentId: AgentId, given: Given): boolean {
  const wait = liveWait(room, agentId, given);
  return wait !== null && wait.claims && !isCutOff(room, wait, given);
}

export function isReachable(room: Room, agentId: AgentId, given: Given): boolean {
  return isListening(room, agentId, given) || given.evidence.wakeable?.has(agentId) === true;
}

/** Whether it will notice by itself what concerns it, without being woken. */
export function isListening(room: Room, agentId: AgentId, given: Given): boolean {
  const { hookedAndBusy, receiving } = given.evidence;
  if (hookedAndBusy?.has(agentId) || receiving?.has(agentId)) return true;
  const wait = liveWait(room, agentId, given);
  return wait !== null && !isCutOff(room, wait, given);
}

export function isActive(room: Room, agentId: AgentId, given: Given): boolean {
  if (!room.state.members.has(agentId) || isPersistentlyGone(room, agentId, given)) return false;
  if (isListening(room, agentId, given)) return true;
  return absentForMs(room, agentId, given) < room.policy.presenceTtlMs;
}

/** The lease's end, moved by signs of life that the holder's hooks left since the last call. */
export function leaseDeadline(room: Room, given: Given): Deadline | null {
  if (!room.lease || room.state.owner === null) return null;
  const sign = given.evidence.activity.get(room.state.owner);
  if (!sign) return room.lease.deadline;
  const bySign = after(sign, room.policy.leaseTtlMs);
  const comparable = bySign.epoch === room.lease.deadline.epoch;
  return comparable ? latest(room.lease.deadline, bySign) : room.lease.deadline;
}

export function leaseHasExpired(room: Room, given: Given): boolean {
  const deadline = leaseDeadline(room, given);
  return deadline !== null && hasPassed(deadline, given.moment.instant);
}
