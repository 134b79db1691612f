/**
 * Settling: before anything else is decided, the room records what time and evidence have already made true.
 *
 * There is no daemon, so changing calls and waiters do this. First of all, a caller that is a member under its
 * provisional name becomes one under its own (merge-former.ts). Then, in order:
 *   1. if the machine slept, every deadline gets a grace, because no agent could have kept it;
 *   2. waits end: their time is over, or their harness is gone; a call that was cut off starts the grace;
 *   3. a reservation that expired, or whose recipient is persistently gone, goes to the next in the queue; in a paused
 *      room it does not expire;
 *   4. members that are long gone leave. The owner never does: that is what takeover is for.
 * Settling a settled room returns the same object, so a reader can ask at no cost whether there is something to settle.
 */
import type { EventPayloads, LeaveReason } from "../../core/event.ts";
import type { AgentId } from "../../core/ids.ts";
import { LIMITS } from "../../core/limits.ts";
import { after, type Deadline, hasPassed, type Instant, latest, type Moment } from "../../core/time.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import type { Wait } from "../../session/rules/session.ts";
import { begin, type Change, record, withRoom } from "./change.ts";
import { alivenessIn, reservationDeadline } from "./liveness.ts";
import { mergeFormer } from "./merge-former.ts";
import { nextInQueue } from "./queue.ts";
import { type Room, withEntry, withoutEntry } from "./room.ts";

export function settle(change: Change, given: Given): Change {
  const merged = mergeFormer(change, given);
  return removeDeparted(requeueReservation(endWaits(grantResumeGrace(merged, given), given), given), given);
}

export function needsSettling(room: Room, given: Given): boolean {
  return settle(begin(room), given).room !== room;
}

function grantResumeGrace(change: Change, { moment }: Given): Change {
  const room = afterSleep(change.room, moment);
  return room === change.room ? change : withRoom(change, room);
}

/** The room with its deadlines moved after a sleep of the machine; the same object if there was none. */
export function afterSleep(room: Room, { instant, suspendedMs }: Moment): Room {
  const slept = suspendedMs - room.suspendedMs > LIMITS.suspendToleranceMs;
  const rebooted = suspendedMs < room.suspendedMs - LIMITS.suspendToleranceMs;
  if (rebooted) return { ...room, suspendedMs };
  if (!slept) return room;
  const sleptMs = suspendedMs - room.suspendedMs;
  const extended = (deadline: Deadline) =>
    wasOverBefore(room, deadline, instant, sleptMs) ? deadline : latest(deadline, after(instant, LIMITS.resumeGraceMs));
  const waits = new Map([...room.waits].map(([id, wait]) => [id, { ...wait, deadline: extended(wait.deadline) }]));
  return {
    ...room,
    suspendedMs,
    lease: room.lease && { ...room.lease, deadline: extended(room.lease.deadline) },
    claimDeadline: room.claimDeadline && extended(room.claimDeadline),
    waits,
  };
}

/**
 * Whether the sleep cannot be the reason for a missed deadline. That is so if the deadline is of another boot, if a
 * member was here between the deadline and the sleep, or if the time spent awake shows that the deadline passed before
 * the sleep or that its grace is over.
 */
function wasOverBefore({ presence }: Room, deadline: Deadline, now: Instant, sleptMs: number): boolean {
  if (deadline.epoch !== now.epoch || hasPassed(after(deadline, sleptMs + LIMITS.resumeGraceMs), now)) return true;
  return [...presence.values()].some(({ lastSeen }) => lastSeen.epoch === now.epoch && lastSeen.ms >= deadline.ms);
}

function endWaits(change: Change, given: Given): Change {
  let waits = change.room.waits;
  for (const wait of change.room.waits.values()) {
    const its = alivenessIn(change.room, wait.agentId, given);
    if (its.wait === null) waits = withoutEntry(waits, wait.agentId);
    else if (wait.caller !== null && its.isCutOff) {
      const left = inGrace(wait, change.room, given);
      const isOver = hasPassed(left.deadline, given.moment.instant);
      waits = isOver ? withoutEntry(waits, wait.agentId) : withEntry(waits, wait.agentId, left);
    }
  }
  return waits === change.room.waits ? change : withRoom(change, { waits });
}

function inGrace(wait: Wait, room: Room, given: Given): Wait {
  const graceEnd = after(given.moment.instant, room.policy.waitGraceMs);
  const deadline = wait.deadline.ms <= graceEnd.ms ? wait.deadline : graceEnd;
  return { ...wait, caller: null, deadline };
}

function requeueReservation(change: Change, given: Given): Change {
  const { room } = change;
  const { reservation } = room.state;
  if (!reservation) return change;
  const deadline = reservationDeadline(room);
  const timedOut = deadline !== null && hasPassed(deadline, given.moment.instant);
  if (!timedOut && !alivenessIn(room, reservation.agentId, given).isGone) return change;
  return passedOver(change, given, reservation.agentId, timedOut ? "timeout" : "recipient_gone");
}

/** The reservation goes to the next in the queue, or the stick is free. */
export function passedOver(
  change: Change,
  given: Given,
  agentId: AgentId,
  cause: EventPayloads["reservation_expired"]["cause"],
): Change {
  const next = nextInQueue(change.room, given, agentId);
  const payload = { cause, reservedFor: next };
  const recorded = record(change, given, "reservation_expired", payload, { from: null, to: agentId });
  // The agent's wait is over, too: it had its turn and did not take it. If it calls again, it is back in the queue.
  const waits = withoutEntry(recorded.room.waits, agentId);
  return withRoom(recorded, { waits, claimDeadline: claimDeadlineFor(recorded.room, given, next) });
}

/** How long the next in the queue has to take the freed stick. */
export function claimDeadlineFor(room: Room, given: Given, next: AgentId | null): Deadline | null {
  return next === null ? null : after(given.moment.instant, room.policy.releaseClaimTtlMs);
}

function removeDeparted(change: Change, given: Given): Change {
  let result = change;
  for (const agentId of change.room.state.members.keys()) {
    const reason = departure(result.room, agentId, given);
    if (reason) result = removeMember(result, given, agentId, reason);
  }
  return result;
}

function departure(room: Room, agentId: AgentId, given: Given): LeaveReason | null {
  const { owner, reservation } = room.state;
  if (agentId === owner || agentId === reservation?.agentId || agentId === given.caller.agentId) return null;
  if (room.waits.has(agentId)) return null;
  const its = alivenessIn(room, agentId, given);
  if (its.absentMs >= room.policy.presenceTtlMs && its.isGone) return "process_gone";
  const { silentMs } = its;
  // After a reboot, wall-clock time alone proves nothing, nor does silence if nobody looked for signs of life.
  const isKnown = Number.isFinite(silentMs) && wasLookedFor(room, agentId, given);
  return isKnown && silentMs >= room.policy.idleRoomTtlMs ? "expired" : null;
}

/** Only a session can leave signs of life outside the store. */
function wasLookedFor({ presence }: Room, agentId: AgentId, { evidence }: Given): boolean {
  return (presence.get(agentId)?.sessionId ?? null) === null || evidence.activity.has(agentId);
}

export function removeMember(change: Change, given: Given, agentId: AgentId, reason: LeaveReason): Change {
  const left = record(
    change,
    given,
    "member_left",
    { reason, wasOwner: false, wasReservedFor: false, reservedFor: null },
    { from: agentId },
  );
  return withRoom(left, { presence: withoutEntry(left.room.presence, agentId) });
}
