/**
 * Waiting for the turn: one look at the room that grants, answers, or registers the wait.
 *
 * A wait is a row that keeps the caller's place for as long as its call lasts plus a grace, so that an agent
 * whose call returned `not_yet` and calls again has not lost its turn in the queue. `claims: false` receives
 * only what was passed or reserved to the caller: it never claims a free stick and stands in no queue.
 * A wait that outlives its harness ends: no agent would use the turn.
 */

import type { ClaimReason } from "../../core/event.ts";
import type { AgentId } from "../../core/ids.ts";
import { type ProcessRef, processKey } from "../../core/process.ts";
import type { Refusal } from "../../core/refusal.ts";
import { after, type Deadline, hasPassed, type Instant, wallTime } from "../../core/time.ts";
import { begin, type Change, type Decision, withRoom } from "../../room/rules/change.ts";
import { asMember } from "../../room/rules/join.ts";
import { alivenessIn, leaseDeadline, reservationDeadline } from "../../room/rules/liveness.ts";
import { isMember, type TakenHandles } from "../../room/rules/membership.ts";
import { nextInQueue } from "../../room/rules/queue.ts";
import { isHeldBack, unknownMember } from "../../room/rules/refusals.ts";
import { type Room, withEntry, withoutEntry } from "../../room/rules/room.ts";
import { needsSettling, passedOver, settle } from "../../room/rules/settle.ts";
import type { Caller, Given } from "../../session/rules/decision-input.ts";
import { sessionEnded } from "../../session/rules/retirement.ts";
import type { Wait } from "../../session/rules/session.ts";
import { notYet, type TurnAnswer, takeoverAvailable, yourTurn } from "./answers.ts";
import { grant, takeoverGround } from "./grant.ts";

export interface WaitForTurn {
  readonly claims: boolean;
  /** Whether the call takes the mail that comes meanwhile; true by default. */
  readonly seesMail?: boolean;
  /** How long the call will still wait; null for a single look, which takes no place in the queue. */
  readonly forMs: number | null;
  readonly callerProcess: ProcessRef | null;
  readonly gitHead: string | null;
  /** False: a caller that is not a member is told so and does not become one by waiting. */
  readonly joins?: boolean;
}

export type WaitRefusal = "room_closed" | "unknown_member" | "session_ended";

export function waitForTurn(
  room: Room,
  given: Given,
  handles: TakenHandles,
  command: WaitForTurn,
): Decision<TurnAnswer | Refusal<WaitRefusal>> {
  const settled = settle(begin(room), given);
  if (given.evidence.orphaned) return endOrphan(settled, given, command);
  if (settled.room.state.status === "closed" && isMember(settled.room, given.caller.agentId)) {
    return { change: settled, answer: { status: "closed" } };
  }
  if (command.joins === false && !isMember(settled.room, given.caller.agentId)) {
    return { change: settled, answer: unknownMember(settled.room, given) };
  }
  return asMember(room, given, handles, (change) => look(change, given, command));
}

function look(change: Change, given: Given, command: WaitForTurn): Decision<TurnAnswer | Refusal<WaitRefusal>> {
  const { room } = change;
  if (room.state.owner === given.caller.agentId) {
    return { change, answer: yourTurn(room, given, "already_owner") };
  }
  const reason = claimReason(room, given, command.claims);
  if (reason !== null) {
    const granted = grant(change, given, reason, command.gitHead);
    return { change: granted, answer: yourTurn(granted.room, given, reason) };
  }
  const ground = mayTakeOver(room, given, command.claims);
  if (ground !== null) {
    return { change: endCall(change, given, command), answer: takeoverAvailable(room, given, ground) };
  }
  const waiting = register(change, given, command);
  return { change: waiting, answer: notYet(waiting.room, given) };
}

/**
 * If the stick is reserved for the agent, it stays reserved as for any other silent agent: the session may be resumed.
 */
function endOrphan(
  settled: Change,
  { caller }: Given,
  { callerProcess }: WaitForTurn,
): Decision<TurnAnswer | Refusal<WaitRefusal>> {
  const { agentId, sessionId } = caller;
  const place = settled.room.waits.get(agentId)?.caller ?? null;
  const isOwn = place !== null && callerProcess !== null && processKey(place) === processKey(callerProcess);
  return { change: isOwn ? withoutWait(settled, agentId) : settled, answer: sessionEnded(agentId, sessionId) };
}

/** Whether a wait would probably be granted at once, or at least leave an event. A guess, from what was seen before. */
export function mayClaim(room: Room, caller: Pick<Caller, "agentId" | "isPerson">, claims: boolean): boolean {
  const { status, reservation } = room.state;
  if (!isMember(room, caller.agentId)) return true;
  return !isHeldBack(room, caller) && (reservation?.agentId === caller.agentId || (status === "idle" && claims));
}

/** Whether the stick is reserved for the agent, and the agent may take it and still has time to. */
export function isReservedFor(room: Room, caller: Pick<Caller, "agentId" | "isPerson">, now: Instant): boolean {
  if (room.state.reservation?.agentId !== caller.agentId || isHeldBack(room, caller)) return false;
  const deadline = reservationDeadline(room);
  return deadline === null || !hasPassed(deadline, now);
}

/** Why the caller may have the stick now; null while it may not. */
function claimReason(room: Room, given: Given, claims: boolean): ClaimReason | null {
  const { status, reservation } = room.state;
  const { agentId } = given.caller;
  if (isHeldBack(room, given.caller)) return null;
  if (reservation?.agentId === agentId) {
    return reservation.via === "sequence" ? "sequence" : reservation.givenBy === null ? "direct_pass" : "given";
  }
  if (status !== "idle" || !claims || coolingDown(room, given)) return null;
  return "open_claim";
}

function mayTakeOver(room: Room, given: Given, claims: boolean) {
  return claims && !isHeldBack(room, given.caller) ? takeoverGround(room, given) : null;
}

/** The agent that released last steps back for a moment, but only while another waiter is there. */
function coolingDown(room: Room, given: Given): boolean {
  const { cooldown } = room;
  if (cooldown?.agentId !== given.caller.agentId || hasPassed(cooldown.until, given.moment.instant)) return false;
  return nextInQueue(room, given, given.caller.agentId) !== null;
}

function register(change: Change, given: Given, command: WaitForTurn): Change {
  if (command.forMs === null) return change;
  const { agentId } = given.caller;
  const { room } = change;
  const wait: Wait = {
    agentId,
    claims: command.claims,
    seesMail: command.seesMail ?? true,
    caller: command.callerProcess,
    sinceAt: room.waits.get(agentId)?.sinceAt ?? wallTime(given.moment.wallMs),
    deadline: after(given.moment.instant, command.forMs + room.policy.waitGraceMs),
  };
  return withRoom(change, { waits: withEntry(room.waits, agentId, wait) });
}

/** The call ends with an answer before its time: its place in the queue is kept for the grace, as at its deadline. */
function endCall(change: Change, given: Given, command: WaitForTurn): Change {
  const isOver = command.forMs !== null && change.room.waits.has(given.caller.agentId);
  return isOver ? register(change, given, { ...command, forMs: 0 }) : change;
}

/**
 * What a registered waiter sees without writing anything: the answer to give if its time is up, or `act`
 * when a transaction would change something or has something for it.
 */
export function peekTurn(room: Room, given: Given, claims: boolean): TurnAnswer | "act" {
  const { agentId } = given.caller;
  const { state } = room;
  if (given.evidence.orphaned) return "act";
  // Its place in the queue may be gone, or belong to a dead call of the same agent: then the call takes it again.
  const isPlaceLost = !room.waits.has(agentId) || alivenessIn(room, agentId, given).isCutOff;
  if (isPlaceLost || state.status === "closed" || state.owner === agentId) return "act";
  if (needsSettling(room, given)) return "act";
  if (claimReason(room, given, claims) !== null) return "act";
  if (mayTakeOver(room, given, claims) !== null) return "act";
  return notYet(room, given);
}

/**
 * The caller gives its wait up, by Ctrl-C or cancellation. It loses its place in the queue. It also loses the stick if
 * that was just reserved for it as the next in the queue. A stick that was passed to the caller by name stays reserved.
 * A place that another call of the same agent has taken stays with that call.
 */
export function endWait(
  room: Room,
  given: Given,
  { callerProcess }: Pick<WaitForTurn, "callerProcess">,
): Decision<true> {
  const { agentId } = given.caller;
  const { caller = null } = room.waits.get(agentId) ?? {};
  const isAnothers = caller !== null && callerProcess !== null && processKey(caller) !== processKey(callerProcess);
  if (isAnothers) return { change: begin(room), answer: true };
  if (!isNextInSequence(room, agentId)) return { change: withoutWait(begin(room), agentId), answer: true };
  // Settle first to know who is next: the machine may have slept past the others' deadlines.
  const settled = settle(begin(room), given);
  if (!isNextInSequence(settled.room, agentId)) return { change: withoutWait(settled, agentId), answer: true };
  return { change: passedOver(settled, given, agentId, "given_up"), answer: true };
}

/** Whether the agent was next in the queue when the stick became free, and has not taken it yet. */
function isNextInSequence({ state: { reservation } }: Room, agentId: AgentId): boolean {
  return reservation?.agentId === agentId && reservation.via === "sequence";
}

function withoutWait(change: Change, agentId: AgentId): Change {
  const waits = withoutEntry(change.room.waits, agentId);
  return waits === change.room.waits ? change : withRoom(change, { waits });
}

/** When the room will change by time alone, so that a waiter can wake for it; null if it will not. */
export function nextRoomDeadline(room: Room, given: Given): Deadline | null {
  return reservationDeadline(room) ?? leaseDeadline(room, given);
}
