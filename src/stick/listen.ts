/**
 * One blocking call for everything that concerns the caller: a turn that was passed to it or reserved for it, a
 * reservation that it lost, and its mail. It takes no place in the queue and never claims a free stick. A holder that
 * knows its turn receives its mail and renews its lease, as with every call of a holder. If it loses the stick, the
 * call goes on as for any other member.
 */

import type { EventType } from "../core/event.ts";
import { type AgentId, asRoomId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { isRefusal, type Refusal, type RefusalCode } from "../core/refusal.ts";
import { elapsedMs, type Instant } from "../core/time.ts";
import { decodeId, decodeInteger } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import { lookAtRoom, ownNames } from "../engine/evidence.ts";
import { type InFlight, NOTHING_IN_FLIGHT } from "../engine/in-flight.ts";
import type { RoomSnapshot } from "../engine/ports/store.ts";
import { asReceiver } from "../mail/as-receiver.ts";
import { type ReceiveRefusal, receiveMessages, refuseSubagent } from "../mail/receive.ts";
import { type MyMessages, type TakenMessages, takeAtEnd } from "../mail/take-messages.ts";
import { type EventBatch, nextEvents } from "../room/events.ts";
import type { EventFilter } from "../room/rules/event-view.ts";
import { roomNotFound } from "../room/rules/refusals.ts";
import type { Room } from "../room/rules/room.ts";
import { afterSleep } from "../room/rules/settle.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { type NotYet, notYet, type TurnAnswer } from "./rules/answers.ts";
import { type TurnRefusal, untilTurn } from "./wait-for-turn.ts";

/** After any of these the holder may be another agent, or the same one under another name. */
const ENDS_OF_A_TURN = new Set<EventType>([
  "release",
  "pass",
  "takeover",
  "given",
  "kick",
  "close",
  "member_left",
  "session_superseded",
]);

export interface ListenInput {
  readonly roomId: string;
  readonly maxWaitMs?: number;
  /** The cursor at which the last listen ended. Without it, only what happens from now on counts. */
  readonly afterEventSeq?: number;
  readonly signal?: AbortSignal;
  /** The turn that the caller knows about. If it has another one, the answer tells it so. */
  readonly knownTurn?: number;
}

export interface ReservationLost {
  readonly status: "reservation_lost";
  readonly turnId: number;
  /** The agent that it is reserved for now, if any. */
  readonly reservedFor: AgentId | null;
  /** The agent that holds it now. Without both, the stick is free. */
  readonly currentOwner?: AgentId;
}

/** Mail may come along with any other answer. */
export type ListenAnswer = (TurnAnswer | ReservationLost | { readonly status: "messages" }) &
  Partial<Pick<MyMessages, "messages" | "remaining">>;

/** The messages in the answer are in flight until it is out. */
export interface Heard extends InFlight {
  readonly answer: ListenAnswer;
  readonly cursorEventSeq: number;
}

export type ListenRefusal = TurnRefusal | ReceiveRefusal;

export async function listen(deps: Deps, caller: Caller, input: ListenInput): Promise<Heard | Refusal<ListenRefusal>> {
  const refused = refuseSubagent(caller);
  if (refused) return refused;
  const roomId = decodeId("room_id", input.roomId);
  if (isRefusal(roomId)) return roomId;
  const maxWaitMs = decodeInteger("max_wait_ms", input.maxWaitMs ?? 0, { min: 0, max: LIMITS.waitMs });
  if (isRefusal(maxWaitMs)) return maxWaitMs;
  const cursor = decodeInteger("after_event_seq", input.afterEventSeq ?? 0, { min: 0, max: Number.MAX_SAFE_INTEGER });
  if (isRefusal(cursor)) return cursor;
  const since = deps.clock.now().instant;
  let limitMs: number | null = null;
  for (;;) {
    const snapshot = await deps.store.readRoom(asRoomId(roomId));
    const left: ListenInput = limitMs === null ? input : { ...input, maxWaitMs: msLeft(deps, since, limitMs) };
    if (!snapshot) return roomNotFound(roomId);
    limitMs ??= input.maxWaitMs ?? snapshot.room.policy.waitMaxMs;
    if (!holds(snapshot.room, caller, input)) return listenForTurn(deps, caller, left, snapshot);
    const whileHolding = await listenAsHolder(deps, caller, left, snapshot);
    if (whileHolding !== null) return whileHolding;
  }
}

/** At least 1 ms: a time of 0 would mean a single look, which takes no place in the queue. */
function msLeft({ clock }: Deps, since: Instant, limitMs: number): number {
  return Math.max(1, Math.ceil(limitMs - elapsedMs(since, clock.now().instant)));
}

function holds({ state }: Room, caller: Caller, { knownTurn }: ListenInput): boolean {
  return state.turnId === knownTurn && ownNames(caller).some((name) => name === state.owner);
}

/** Null when the turn may have ended meanwhile. */
async function listenAsHolder(
  deps: Deps,
  caller: Caller,
  input: ListenInput,
  snapshot: RoomSnapshot,
): Promise<Heard | Refusal<ListenRefusal> | null> {
  const { signal, roomId } = input;
  const { room } = snapshot;
  const maxWaitMs = input.maxWaitMs ?? room.policy.waitMaxMs;
  const enough = new AbortController();
  const stop = signal ? AbortSignal.any([signal, enough.signal]) : enough.signal;
  const wanted: EventFilter = { types: ENDS_OF_A_TURN, target: { kind: "any" }, from: null };
  const after = room.state.lastSeq;
  const turnEnds = nextEvents(deps, caller, snapshot, { wanted, after, maxWaitMs, signal: stop });
  const mail = asReceiver(deps, caller, {}, () =>
    receiveMessages(deps, caller, { transport: "listen", maxWaitMs, signal: stop }),
  );
  const [batch, taken] = await Promise.all([
    endingOthers(turnEnds, (seen) => isRefusal(seen) || seen.events.length > 0, enough),
    endingOthers(mail, (seen) => isRefusal(seen) || seen.answer.count > 0, enough),
  ]);
  if (isRefusal(taken)) return taken;
  if (isRefusal(batch)) return withoutMail(batch, taken);
  if (taken.answer.count === 0 && batch.events.length > 0) return null;
  const mailAtEnd = (await lastMail(deps, caller, input, taken)) ?? taken;
  const now = await deps.store.readRoom(room.id);
  if (!now) return withoutMail(roomNotFound(roomId), mailAtEnd);
  const given = await lookAtRoom(deps, now, { caller, about: ownNames(caller) });
  const answer = notYet(afterSleep(now.room, now.moment), given);
  // The end of its turn is not a lost reservation.
  return heard({ ...answer, unread: mailAtEnd.answer.remaining }, { ...batch, events: [] }, mailAtEnd);
}

/** The refusal shows no mail, so mail that was taken meanwhile goes back into the mailbox. */
async function withoutMail<Code extends RefusalCode>(refusal: Refusal<Code>, taken: TakenMessages | null) {
  await taken?.giveBack();
  return refusal;
}

async function listenForTurn(
  deps: Deps,
  caller: Caller,
  input: ListenInput,
  snapshot: RoomSnapshot,
): Promise<Heard | Refusal<ListenRefusal>> {
  const enough = new AbortController();
  const stop = input.signal ? AbortSignal.any([input.signal, enough.signal]) : enough.signal;
  const { turn, mail } = waitForTurnAndMail(deps, caller, input, { enough: enough.signal, stop });
  const [answer, batch, taken] = await Promise.all([
    endingOthers(turn, (seen) => isRefusal(seen) || seen.status !== "not_yet", enough),
    endingOthers(
      waitForLoss(deps, caller, input, { snapshot, signal: stop }),
      (seen) => isRefusal(seen) || seen.events.length > 0,
      enough,
    ),
    endingOthers(mail, (seen) => seen !== null && (isRefusal(seen) || seen.answer.count > 0), enough),
  ]);
  if (isRefusal(taken)) return taken;
  if (isRefusal(answer)) return withoutMail(answer, taken);
  if (isRefusal(batch)) return withoutMail(batch, taken);
  return heard(answer, batch, await lastMail(deps, caller, input, taken));
}

/** The mail that was taken, or else the mail that came since the last look. A cancelled call takes no more mail. */
async function lastMail(deps: Deps, caller: Caller, { signal }: ListenInput, taken: TakenMessages | null) {
  const isOver = signal?.aborted === true || (taken !== null && taken.answer.count > 0);
  return isOver ? taken : takeAtEnd(deps, caller, { transport: "listen" });
}

/**
 * The wait for the turn knows whether the caller may use the room, and when the time is up. Mail is taken only between
 * the first and the last look of that wait, or once together with an immediate answer. So a refusal uses up no attempt
 * of a message.
 */
function waitForTurnAndMail(
  deps: Deps,
  caller: Caller,
  { roomId, maxWaitMs, signal }: ListenInput,
  { enough, stop }: { readonly enough: AbortSignal; readonly stop: AbortSignal },
) {
  const looked = new AbortController();
  const over = new AbortController();
  const turn = untilTurn(deps, caller, {
    roomId,
    claim: false,
    wakeOnMessage: false,
    takesMail: true,
    enough,
    onLook: () => looked.abort(),
    ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
    ...(signal && { signal }),
  }).finally(() => over.abort());
  const mail = async () => {
    await aborted(AbortSignal.any([looked.signal, over.signal]));
    if (over.signal.aborted && isRefusal(await turn)) return null;
    const until = AbortSignal.any([stop, over.signal]);
    return receiveMessages(deps, caller, { transport: "listen", signal: until });
  };
  return { turn, mail: mail() };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function waitForLoss(
  deps: Deps,
  caller: Caller,
  { afterEventSeq = Number.POSITIVE_INFINITY, maxWaitMs }: ListenInput,
  { snapshot, signal }: { readonly snapshot: RoomSnapshot; readonly signal: AbortSignal },
) {
  const { policy, state } = snapshot.room;
  const who = { agentId: caller.agentId, names: new Set(ownNames(caller)) };
  const wanted: EventFilter = { types: new Set(["reservation_expired"]), target: { kind: "agent", who }, from: null };
  // A cursor may be ahead of the log, after a backup was restored.
  const after = Math.min(afterEventSeq, state.lastSeq);
  return nextEvents(deps, caller, snapshot, { wanted, after, maxWaitMs: maxWaitMs ?? policy.waitMaxMs, signal });
}

function heard(turn: TurnAnswer, batch: EventBatch, taken: TakenMessages | null): Heard {
  const stick = turn.status === "not_yet" ? lost(batch, turn) : turn;
  const { cursorEventSeq } = batch;
  if (taken === null || taken.answer.count === 0) {
    return { answer: stick ?? turn, cursorEventSeq, ...NOTHING_IN_FLIGHT };
  }
  const { messages, remaining } = taken.answer;
  const answer = { ...(stick ?? { status: "messages" as const }), messages, remaining };
  return { ...taken, answer, cursorEventSeq };
}

/** Ends the other waits when this one has an answer or failed. A timeout is no answer. */
async function endingOthers<Answer>(
  wait: Promise<Answer>,
  saysSomething: (answer: Answer) => boolean,
  enough: AbortController,
): Promise<Answer> {
  try {
    const answer = await wait;
    if (saysSomething(answer)) enough.abort();
    return answer;
  } catch (error) {
    enough.abort();
    throw error;
  }
}

/** The event may be old: `now` says who has the stick since then. */
function lost({ events }: EventBatch, now: NotYet): ReservationLost | null {
  const last = events.at(-1);
  if (!last) return null;
  const { reservedFor = null, currentOwner } = now;
  return { status: "reservation_lost", turnId: last.turnId, reservedFor, ...(currentOwner && { currentOwner }) };
}
