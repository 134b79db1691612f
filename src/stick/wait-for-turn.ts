/**
 * Waiting for the turn without polling.
 *
 * The first look is a transaction: it grants, answers, or registers the wait. After that the call sleeps
 * until its bell rings, until the room's next deadline, or for the slow look that finds a dead holder and
 * makes up for a lost ring. Those looks only read; a transaction follows when one would change something.
 * At its deadline the call answers `not_yet` and its place in the queue stays for the room's grace. A
 * cancelled call gives its place up. A store that cannot be reached for a while is waited for, too. When the
 * session's own id becomes known meanwhile, the wait goes on under that name. When the caller's harness is
 * gone, the wait ends.
 */

import { Fault } from "../core/fault.ts";
import { asRoomId, type RoomId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { elapsedMs, hasPassed, type Instant } from "../core/time.ts";
import { commit, type Decide } from "../engine/commit.ts";
import { decodeFlag, decodeId, decodeInteger } from "../engine/decode.ts";
import { wayOut } from "../engine/departures.ts";
import type { Deps } from "../engine/deps.ts";
import { gatherEvidence, gatherWaitersEvidence, givenFor, ownNames, withFateOf } from "../engine/evidence.ts";
import { sleepWhileStill } from "../engine/idle-sleep.ts";
import type { Subscription, WakeReason } from "../engine/ports/bell.ts";
import type { RoomSnapshot } from "../engine/ports/store.ts";
import { markBeforeLook, SLOW_LOOK_MS, sleepUntilWorthLooking } from "../engine/sleep.ts";
import { MailWatch } from "../mail/mail-watch.ts";
import { roomNotFound } from "../room/rules/refusals.ts";
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
} from "./rules/wait.ts";

const LET_THROUGH_MS = 2;

export interface WaitForTurnInput {
  readonly roomId: string;
  /** 0 is one look, which takes no place in the queue. Without it the room's `wait_max_ms` counts. */
  readonly maxWaitMs?: number;
  /** False: take only a turn that was passed or reserved to me. */
  readonly claim?: boolean;
  /** Ends the wait with `not_yet` when mail comes of which no wait has told the caller yet; so by default. */
  readonly wakeOnMessage?: boolean;
  /** True for a call that takes mail, beside this wait or when it ends: only then are senders told that mail is seen now. */
  readonly takesMail?: boolean;
  /** Cancels: the place in the queue is given up. */
  readonly signal?: AbortSignal;
  /** Ends the wait as its time limit would: the place is kept for the room's grace. */
  readonly enough?: AbortSignal;
  /** Told what the wait sees whenever it looked. */
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

/** What a look brought: the answer so far, and when the room will change by time alone. */
interface Seen {
  readonly answer: TurnAnswer | Refusal;
  readonly changesInMs: number;
  /** The caller under the name it goes by now. */
  readonly caller: Caller;
  /** The last event of the room then. */
  readonly lastSeq: number;
  /** The look at the room that this came from, if it was a mere look. */
  readonly snapshot?: RoomSnapshot;
}

export async function untilTurn(deps: Deps, caller: Caller, input: WaitForTurnInput): Promise<TurnAnswer | Refusal> {
  const decoded = decodeId("room_id", input.roomId);
  if (isRefusal(decoded)) return decoded;
  const roomId = asRoomId(decoded);
  const snapshot = await deps.store.readRoom(roomId);
  if (!snapshot) return roomNotFound(input.roomId);
  const { policy } = snapshot.room;
  const maxWaitMs = decodeInteger("max_wait_ms", input.maxWaitMs ?? policy.waitMaxMs, { min: 0, max: LIMITS.waitMs });
  if (isRefusal(maxWaitMs)) return maxWaitMs;
  const claims = decodeFlag("claim", input.claim, true);
  if (isRefusal(claims)) return claims;
  const since = deps.clock.now().instant;
  const mail = new MailWatch(deps, caller);
  let waiting = { deps, caller, input, roomId, claims, maxWaitMs, since, mail };
  if (maxWaitMs === 0) return withUnread(waiting, (await look(waiting, snapshot)).answer);
  for (;;) {
    const bell = await deps.bell.subscribe(waiting.caller.agentId);
    try {
      const ended = await untilAnswered(waiting, bell, await afterYou(waiting, bell, snapshot));
      if (!("renamed" in ended)) return ended;
      waiting = { ...waiting, caller: ended.renamed };
    } finally {
      bell.close();
    }
  }
}

/**
 * Who has just released often waits again at once, and so meets the one whom it has woken at the store's lock. A
 * place in the queue is in no hurry while the stick goes to somebody else, so that one is let through first.
 */
async function afterYou({ deps, caller, roomId, input }: Waiting, bell: Subscription, seen: RoomSnapshot) {
  const { reservation } = seen.room.state;
  if (!reservation || ownNames(caller).includes(reservation.agentId)) return seen;
  await bell.next(LET_THROUGH_MS, input.signal);
  return (await deps.store.readRoom(roomId)) ?? seen;
}

/** Resolves early when the caller has got another name, and with it another bell. */
async function untilAnswered(
  waiting: Waiting,
  bell: Subscription,
  first: RoomSnapshot,
): Promise<TurnAnswer | Refusal | { readonly renamed: Caller }> {
  const { deps, input } = waiting;
  let mark = await markBeforeLook(deps, bell);
  // Where a mark had to be read, time has passed, and whom to look at is judged by the time of the look.
  const fresh = mark === null ? null : await deps.store.readRoom(waiting.roomId);
  let seen = await look(waiting, fresh ?? first);
  while (!isRefusal(seen.answer) && seen.answer.status === "not_yet") {
    if (seen.caller.agentId !== waiting.caller.agentId) return { renamed: seen.caller };
    const { unread, hasNews, changesInMs } = await waiting.mail.look(seen.snapshot);
    const answer = { ...seen.answer, unread };
    input.onLook?.(answer);
    if (hasNews && (input.wakeOnMessage ?? true)) return endWithNews(waiting);
    const leftMs = remainingMs(waiting);
    if (leftMs <= 0) return answer;
    const forMs = Math.min(leftMs, seen.changesInMs, changesInMs);
    const woken = await sleep(waiting, bell, { seen, mark, forMs });
    if (woken === "aborted") return input.signal?.aborted ? giveUp(waiting, answer) : endEarly(waiting);
    mark = await markBeforeLook(deps, bell);
    seen = await lookAgain(waiting, seen);
  }
  return seen.answer;
}

/** Where rings are heard and the room was seen with its mark, the sleep goes on as long as nothing stirs. */
function sleep(
  { deps, caller, input }: Waiting,
  bell: Subscription,
  { seen, mark, forMs }: { readonly seen: Seen; readonly mark: string | null; readonly forMs: number },
): Promise<WakeReason> {
  const signal = anySignal(input);
  const { room, mark: seenMark } = seen.snapshot ?? {};
  return mark === null && room !== undefined && seenMark !== undefined
    ? sleepWhileStill(deps, bell, { caller, room, mark: seenMark, forMs, signal })
    : sleepUntilWorthLooking(deps, bell, { forMs, mark, signal });
}

interface LookOptions {
  readonly known?: Evidence;
  readonly joins?: boolean;
  /** The call ends with this look: only its place is left. */
  readonly isOver?: boolean;
}

/**
 * One transaction: grants, answers, or registers the wait for the time that is left. What is known already about
 * whose processes live is enough to take what is reserved; otherwise the other waiters matter too.
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
  const enough = known !== undefined && isReservedFor(room, caller.agentId, moment.instant) ? known : null;
  const evidence = enough ?? withFateOf(deps, caller, gatherEvidence(deps, room, moment, ownNames(caller)));
  const seesMail = waiting.input.takesMail === true;
  const decide: Decide<TurnAnswer | Refusal> = (loaded, given) => {
    // If it came too late, somebody else is next, and those who wait have not been looked at.
    if (enough && !isReservedFor(loaded.room, given.caller.agentId, given.moment.instant)) return null;
    // Reckoned only now: a call that had to wait for the store must not be written down as lasting longer than it does.
    const forMs = maxWaitMs === 0 ? null : isOver ? 0 : Math.max(0, remainingMs(waiting));
    const command = { claims, seesMail, forMs, callerProcess, gitHead, joins };
    return decideWait(loaded.room, given, loaded.handles, command);
  };
  // Mostly the turn is somebody else's, and a wait that is only registered need not wait for the disk.
  const expectsEvents = mayClaim(room, caller.agentId, claims);
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
 * As above, for one who was a member. Whoever was taken for dead comes again; whoever left, has ended, or was sent away by
 * a person stays away.
 */
async function lookAsMember(waiting: Waiting, snapshot: RoomSnapshot, known: Evidence, last: Seen): Promise<Seen> {
  const seen = await look(waiting, snapshot, { known, joins: false });
  if (!isRefusal(seen.answer) || seen.answer.error !== "unknown_member") return seen;
  const { deps, caller, roomId } = waiting;
  const way = await wayOut(deps, caller, roomId, last.lastSeq);
  if (way === "ended") return { ...seen, answer: sessionEnded(caller.agentId, caller.sessionId) };
  return way === "meant" ? seen : look(waiting, snapshot);
}

/** Reads, and goes through a transaction only if that would change something. */
async function lookAgain(waiting: Waiting, last: Seen): Promise<Seen> {
  const { deps, caller, roomId, claims } = waiting;
  try {
    const snapshot = await deps.store.readRoom(roomId);
    if (!snapshot) return { ...last, answer: roomNotFound(roomId) };
    const evidence = gatherWaitersEvidence(deps, snapshot, caller);
    const isMine = snapshot.room.state.reservation?.agentId === caller.agentId;
    const given = givenFor(deps, caller, snapshot.moment, evidence);
    const answer = isMine ? "act" : peekTurn(snapshot.room, given, claims);
    if (answer === "act") return await lookAsMember(waiting, snapshot, evidence, last);
    const { lastSeq } = snapshot.room.state;
    return { answer, changesInMs: msToDeadline(snapshot.room, given), caller, lastSeq, snapshot };
  } catch (error) {
    // A passing fault of the store must not end a long wait; it is told when the time is up.
    if (error instanceof Fault && error.retry && remainingMs(waiting) > 0) {
      const { snapshot: _, ...before } = last;
      return { ...before, changesInMs: SLOW_LOOK_MS };
    }
    throw error;
  }
}

/** Mail has come, and nothing else for the caller: it is told so, once. A call that takes mail shows it instead. */
async function endWithNews(waiting: Waiting): Promise<TurnAnswer | Refusal> {
  const answer = await endEarly(waiting);
  const isOnlyTold = waiting.input.takesMail !== true && !isRefusal(answer) && answer.status === "not_yet";
  if (isOnlyTold) await waiting.mail.announce();
  return answer;
}

/** Looks once more, as a call whose time is up: the place is kept, but from now on nobody is in the call. */
async function endEarly(waiting: Waiting): Promise<TurnAnswer | Refusal> {
  const snapshot = await waiting.deps.store.readRoom(waiting.roomId);
  if (!snapshot) return roomNotFound(waiting.roomId);
  return withUnread(waiting, (await look(waiting, snapshot, { isOver: true })).answer);
}

async function withUnread({ mail }: Waiting, answer: TurnAnswer | Refusal): Promise<TurnAnswer | Refusal> {
  if (isRefusal(answer) || answer.status !== "not_yet") return answer;
  return { ...answer, unread: (await mail.look()).unread };
}

function anySignal({ signal, enough }: WaitForTurnInput): AbortSignal | undefined {
  return signal && enough ? AbortSignal.any([signal, enough]) : (signal ?? enough);
}

/** The caller cancelled: its place in the queue goes too. A turn that was granted meanwhile stays granted. */
async function giveUp({ deps, caller, roomId }: Waiting, answer: NotYet): Promise<NotYet> {
  const snapshot = await deps.store.readRoom(roomId);
  // Somebody else is next if the stick was reserved for the caller, so those who wait are looked at.
  const evidence = snapshot ? gatherEvidence(deps, snapshot.room, snapshot.moment, ownNames(caller)) : NO_EVIDENCE;
  const command = { callerProcess: deps.probe.self() };
  const decide: Decide<true> = ({ room }, given) => endWait(room, given, command);
  await commit(deps, caller, { roomId }, evidence, decide, { expectsEvents: false });
  return { ...answer, queuePosition: null };
}

function remainingMs({ deps, since, maxWaitMs }: Waiting): number {
  return maxWaitMs - elapsedMs(since, deps.clock.now().instant);
}

/** A deadline that has passed without a change has nothing more to wake for. */
function msToDeadline(room: Room, given: Given): number {
  const { instant } = given.moment;
  const deadline = nextRoomDeadline(room, given);
  if (!deadline || hasPassed(deadline, instant)) return Number.POSITIVE_INFINITY;
  return deadline.ms - instant.ms;
}
