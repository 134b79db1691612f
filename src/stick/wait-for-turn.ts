/**
 * Waiting for the turn.
 *
 * The first look is a transaction: it grants, answers, or registers the wait. Later looks only read; a transaction
 * follows when it would change something. At its deadline the call answers `not_yet`, and its place in the queue stays
 * for the room's grace. A cancelled call gives its place up. If the session's own id becomes known meanwhile, the wait
 * goes on under that name. If the caller's harness is gone, the caller loses its place.
 */

import { asRoomId, type RoomId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import type { ProcessRef } from "../core/process.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { after, type Deadline, elapsedMs, type Instant } from "../core/time.ts";
import { afterLostHolder, beforeGrant } from "../engine/around-commit.ts";
import { commit, type Decide, recentlyKnown } from "../engine/commit.ts";
import { decodeFlag, decodeId, decodeInteger } from "../engine/decode.ts";
import { departureSince } from "../engine/departures.ts";
import type { Deps } from "../engine/deps.ts";
import { gatherEvidence, gatherWaitersEvidence, givenFor, ownNames, withOrphanCheck } from "../engine/evidence.ts";
import type { RoomSnapshot } from "../engine/ports/store.ts";
import { type Look, type LookReason, waitUntil } from "../engine/wait-until.ts";
import { MailWatch } from "../mail/mail-watch.ts";
import { alivenessIn } from "../room/rules/liveness.ts";
import { isHeldBack, roomNotFound } from "../room/rules/refusals.ts";
import type { Room } from "../room/rules/room.ts";
import { type Caller, type Evidence, type Given, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import { sessionEnded } from "../session/rules/retirement.ts";
import type { NotYet, TurnAnswer } from "./rules/answers.ts";
import {
  waitForTurn as decideWait,
  endWait,
  isReservedFor,
  mayClaim,
  nextRoomDeadline,
  peekTurn,
  type WaitRefusal,
} from "./rules/wait.ts";

const LET_THROUGH_MS = 2;

export type TurnRefusal = WaitRefusal | "invalid_input" | "room_not_found";

export interface WaitForTurnInput {
  readonly roomId: string;
  /** 0 is one look, which takes no place in the queue. Without it the room's `wait_max_ms` counts. */
  readonly maxWaitMs?: number;
  /** False: take only a turn that was passed or reserved to me. */
  readonly claim?: boolean;
  /** Ends the wait with `not_yet` when mail comes that no wait has announced yet; true by default. */
  readonly wakeOnMessage?: boolean;
  /** True for a call that takes mail during this wait or at its end: only then do senders hear that it sees mail. */
  readonly takesMail?: boolean;
  /** Cancels: the place in the queue is given up. */
  readonly signal?: AbortSignal;
  /** Ends the wait as its time limit would: the place is kept for the room's grace. */
  readonly enough?: AbortSignal;
  /** Called after every look with what the wait sees. */
  readonly onLook?: (seen: NotYet) => void;
}

interface Waiting {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly input: WaitForTurnInput;
  readonly roomId: RoomId;
  readonly claims: boolean;
  readonly maxWaitMs: number;
  readonly since: Instant;
  readonly mail: MailWatch;
}

/** The result of a look: the answer so far, and when the room will change by time alone. */
interface Seen {
  readonly answer: TurnAnswer | Refusal<TurnRefusal>;
  readonly changesInMs: number;
  /** The caller under its present name. */
  readonly caller: Caller;
  /** The number of the room's last event at that look. */
  readonly lastSeq: number;
  /** The room as the look read it, if the look was only a read. */
  readonly snapshot?: RoomSnapshot;
}

export async function untilTurn(
  deps: Deps,
  caller: Caller,
  input: WaitForTurnInput,
): Promise<TurnAnswer | Refusal<TurnRefusal>> {
  const answer = await untilTurnOrTakeover(deps, caller, input);
  if (!isRefusal(answer) && answer.status === "takeover_available") {
    const { turnId, reason: ground } = answer;
    await afterLostHolder(deps, { roomId: asRoomId(input.roomId), turnId, ground });
  }
  return answer;
}

async function untilTurnOrTakeover(
  deps: Deps,
  caller: Caller,
  input: WaitForTurnInput,
): Promise<TurnAnswer | Refusal<TurnRefusal>> {
  const decoded = decodeId("room_id", input.roomId);
  if (isRefusal(decoded)) return decoded;
  const roomId = asRoomId(decoded);
  const known = input.maxWaitMs === 0 ? null : recentlyKnown(deps, roomId);
  // The first look lets that agent through, and the next one reads the room.
  const handedOver = known && isReservedForAnother(known.room, caller) ? known : null;
  const snapshot = handedOver ?? (await deps.store.readRoom(roomId));
  if (!snapshot) return roomNotFound(input.roomId);
  const { policy } = snapshot.room;
  const maxWaitMs = decodeInteger("max_wait_ms", input.maxWaitMs ?? policy.waitMaxMs, { min: 0, max: LIMITS.waitMs });
  if (isRefusal(maxWaitMs)) return maxWaitMs;
  const claims = decodeFlag("claim", input.claim, true);
  if (isRefusal(claims)) return claims;
  const since = deps.clock.now().instant;
  const mail = new MailWatch(deps, caller);
  const waiting = { deps, caller, input, roomId, claims, maxWaitMs, since, mail };
  if (maxWaitMs === 0) return withUnread(waiting, (await look(waiting, snapshot)).answer);
  return untilAnswered(waiting, snapshot);
}

/** What the wait knows so far. */
interface Progress {
  waiting: Waiting;
  /** The room as it was read before the first look. */
  before: RoomSnapshot | null;
  seen: Seen | null;
  answer: NotYet | null;
}

async function untilAnswered(waiting: Waiting, before: RoomSnapshot): Promise<TurnAnswer | Refusal<TurnRefusal>> {
  const { deps, caller, input, since, maxWaitMs } = waiting;
  const progress: Progress = { waiting, before, seen: null, answer: null };
  const ended = await waitUntil<TurnAnswer | Refusal<TurnRefusal>>(deps, {
    name: caller.agentId,
    caller,
    until: after(since, maxWaitMs),
    cancel: input.signal,
    enough: input.enough,
    look: (reason) => lookOn(progress, reason),
  });
  if ("found" in ended) return ended.found;
  const { answer } = progress;
  if (answer && ended.end === "time_up") return answer;
  if (answer && ended.end === "cancelled") return giveUp(progress.waiting, answer);
  const last = await endEarly(progress.waiting);
  const isCancelled = ended.end === "cancelled" && !isRefusal(last) && last.status === "not_yet";
  return isCancelled ? giveUp(progress.waiting, last) : last;
}

async function lookOn(progress: Progress, reason: LookReason): Promise<Look<TurnAnswer | Refusal<TurnRefusal>>> {
  const { waiting } = progress;
  progress.seen = progress.seen ? await lookAgain(waiting, progress.seen) : await register(progress, reason);
  const { seen } = progress;
  if (!seen) return { changesInMs: LET_THROUGH_MS };
  if (isRefusal(seen.answer) || seen.answer.status !== "not_yet") return { found: seen.answer };
  if (seen.caller.agentId !== waiting.caller.agentId) {
    // The session's own id has become known: the wait registers again, under that name.
    Object.assign(progress, { waiting: { ...waiting, caller: seen.caller }, seen: null });
    return { name: seen.caller.agentId };
  }
  const { unread, hasNews, changesInMs } = await waiting.mail.look(seen.snapshot);
  const answer = { ...seen.answer, unread };
  progress.answer = answer;
  waiting.input.onLook?.(answer);
  if (hasNews && (waiting.input.wakeOnMessage ?? true)) return { found: await endWithNews(waiting) };
  const { room, mark } = seen.snapshot ?? {};
  const decisive = room ? processesThatDecide(room, waiting.caller) : [];
  return { changesInMs: Math.min(seen.changesInMs, changesInMs), mark, decisive };
}

/** The first look, which is a transaction; null if it lets another agent go first. */
async function register(progress: Progress, reason: LookReason): Promise<Seen | null> {
  const { waiting } = progress;
  const snapshot = progress.before ?? (await waiting.deps.store.readRoom(waiting.roomId));
  progress.before = null;
  if (!snapshot) return { answer: roomNotFound(waiting.roomId), changesInMs: 0, caller: waiting.caller, lastSeq: 0 };
  const letsThrough = reason === "first" && isReservedForAnother(snapshot.room, waiting.caller);
  return letsThrough ? null : look(waiting, snapshot);
}

/**
 * A holder that has just released often waits again at once. At the store's lock it meets the agent that it has woken.
 * A place in the queue is not urgent while the stick goes to that agent, so the caller lets it through first.
 */
function isReservedForAnother({ state: { reservation } }: Room, caller: Caller): boolean {
  return reservation !== null && !ownNames(caller).includes(reservation.agentId);
}

/** The processes of agents whose death changes whose turn it is. */
function processesThatDecide({ state, presence }: Room, caller: Caller): readonly ProcessRef[] {
  const agents = [state.owner, state.reservation?.agentId ?? null, ...ownNames(caller)];
  return agents.flatMap((agentId) => (agentId === null ? [] : (presence.get(agentId)?.process ?? [])));
}

interface LookOptions {
  readonly known?: Evidence;
  readonly joins?: boolean;
  /** The call ends with this look. Only its place in the queue remains. */
  readonly isOver?: boolean;
}

/**
 * One transaction: grants the turn, answers, or registers the wait for the time that is left. To take a stick that is
 * reserved for the caller, the evidence in `known` is enough. Otherwise the other waiters matter, too.
 */
async function look(
  waiting: Waiting,
  { room, moment }: RoomSnapshot,
  { known, joins = true, isOver = false }: LookOptions = {},
): Promise<Seen> {
  const { deps, caller, roomId, claims, maxWaitMs } = waiting;
  const callerProcess = deps.probe.self();
  // Read now and not when the wait began: the turn begins with what its predecessor committed.
  const gitHead = deps.workingTree.head(room.path);
  const enough = known !== undefined && isReservedFor(room, caller, moment.instant) ? known : null;
  const evidence =
    enough ?? withOrphanCheck(deps, caller, await gatherEvidence(deps, { room, moment }, ownNames(caller)));
  const seesMail = waiting.input.takesMail === true;
  const decide: Decide<TurnAnswer | Refusal<TurnRefusal>> = (loaded, given) => {
    // If the reservation has ended meanwhile, another waiter is next, and there is no evidence about the waiters yet.
    if (enough && !isReservedFor(loaded.room, given.caller, given.moment.instant)) return null;
    // Computed only now: the call may have waited for the store, and the room must not keep it for longer than it
    // lasts.
    const forMs = maxWaitMs === 0 ? null : isOver ? 0 : Math.max(0, remainingMs(waiting));
    const command = { claims, seesMail, forMs, callerProcess, gitHead, joins };
    return decideWait(loaded.room, given, loaded.handles, command);
  };
  // Usually another agent has the turn. A change that only registers a wait need not wait for the disk.
  const expectsEvents = mayClaim(room, caller, claims);
  if (expectsEvents) await beforeGrant(deps, caller, room);
  const changed = await commit(deps, caller, { roomId }, evidence, decide, { expectsEvents });
  if (!changed) {
    const again = enough && (await deps.store.readRoom(roomId));
    if (again) return look(waiting, again, { joins, isOver });
    return { answer: roomNotFound(roomId), changesInMs: 0, caller, lastSeq: 0 };
  }
  const { change, answer } = changed.decision;
  const given = givenFor(deps, changed.caller, changed.moment, evidence);
  const { lastSeq } = change.room.state;
  return { answer, changesInMs: msToDeadline(change.room, given), caller: changed.caller, lastSeq };
}

/**
 * Like `look`, for a caller that may no longer be a member. A session that was judged dead joins again. A session that
 * left, has ended, or was removed by a person does not.
 */
async function lookAsMember(waiting: Waiting, snapshot: RoomSnapshot, known: Evidence, last: Seen): Promise<Seen> {
  const seen = await look(waiting, snapshot, { known, joins: false });
  if (!isRefusal(seen.answer) || seen.answer.error !== "unknown_member") return seen;
  const { deps, caller, roomId } = waiting;
  const departure = await departureSince(deps, caller, roomId, last.lastSeq);
  if (departure === "ended") return { ...seen, answer: sessionEnded(caller.agentId, caller.sessionId) };
  return departure === "meant" ? seen : look(waiting, snapshot);
}

/** Reads, and goes through a transaction only if that would change something. */
async function lookAgain(waiting: Waiting, last: Seen): Promise<Seen> {
  const { deps, caller, roomId, claims } = waiting;
  const snapshot = await deps.store.readRoom(roomId);
  if (!snapshot) return { ...last, answer: roomNotFound(roomId) };
  const evidence = await gatherWaitersEvidence(deps, snapshot, caller);
  const { room } = snapshot;
  const isMine = room.state.reservation?.agentId === caller.agentId && !isHeldBack(room, caller);
  const given = givenFor(deps, caller, snapshot.moment, evidence);
  const answer = isMine ? "act" : peekTurn(snapshot.room, given, claims);
  if (answer === "act") return lookAsMember(waiting, snapshot, evidence, last);
  const { lastSeq } = snapshot.room.state;
  return { answer, changesInMs: msToDeadline(snapshot.room, given), caller, lastSeq, snapshot };
}

/** Mail has come, and no turn. The answer tells the caller so, once. A call that takes mail shows the mail instead. */
async function endWithNews(waiting: Waiting): Promise<TurnAnswer | Refusal<TurnRefusal>> {
  const answer = await endEarly(waiting);
  const isOnlyTold = waiting.input.takesMail !== true && !isRefusal(answer) && answer.status === "not_yet";
  if (isOnlyTold) await waiting.mail.announce();
  return answer;
}

/**
 * Looks once more, as a call does when its time is up. The caller keeps its place, but its call is over from now on.
 */
async function endEarly(waiting: Waiting): Promise<TurnAnswer | Refusal<TurnRefusal>> {
  const snapshot = await waiting.deps.store.readRoom(waiting.roomId);
  if (!snapshot) return roomNotFound(waiting.roomId);
  return withUnread(waiting, (await look(waiting, snapshot, { isOver: true })).answer);
}

async function withUnread(
  { mail }: Waiting,
  answer: TurnAnswer | Refusal<TurnRefusal>,
): Promise<TurnAnswer | Refusal<TurnRefusal>> {
  if (isRefusal(answer) || answer.status !== "not_yet") return answer;
  return { ...answer, unread: (await mail.look()).unread };
}

/** The caller cancelled, so it loses its place in the queue. A turn that was granted meanwhile stays granted. */
async function giveUp({ deps, caller, roomId }: Waiting, answer: NotYet): Promise<NotYet> {
  const snapshot = await deps.store.readRoom(roomId);
  // If the stick was reserved for the caller, another waiter is next, so gather evidence about the waiters.
  const evidence = snapshot ? await gatherEvidence(deps, snapshot, ownNames(caller)) : NO_EVIDENCE;
  const command = { callerProcess: deps.probe.self() };
  const decide: Decide<true> = ({ room }, given) => endWait(room, given, command);
  await commit(deps, caller, { roomId }, evidence, decide, { expectsEvents: false });
  return { ...answer, queuePosition: null };
}

function remainingMs({ deps, since, maxWaitMs }: Waiting): number {
  return maxWaitMs - elapsedMs(since, deps.clock.now().instant);
}

/** A deadline that has passed without a change is no reason to wake. */
function msToDeadline(room: Room, given: Given): number {
  const { instant } = given.moment;
  const deadlines = [nextRoomDeadline(room, given), holdersSilence(room, given)];
  const left = deadlines.map((deadline) => (deadline ? -elapsedMs(deadline, instant) : Number.POSITIVE_INFINITY));
  return Math.min(...left.map((ms) => (ms > 0 ? ms : Number.POSITIVE_INFINITY)));
}

/** When the machine of the holder, or of the agent that the stick is reserved for, will count as silent. */
function holdersSilence(room: Room, given: Given): Deadline | null {
  const agentId = room.state.owner ?? room.state.reservation?.agentId;
  return agentId ? alivenessIn(room, agentId, given).silenceDeadline : null;
}
