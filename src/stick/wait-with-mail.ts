/**
 * Waiting for the turn, with mail: the answer of a call that waited brings the mail that came meanwhile. Senders are
 * told that such a waiter sees their mail now, so every such call reads the mailbox once more at its end. A call that
 * was answered at once takes no mail. A subagent gets none: the mail is its main agent's.
 */

import type { EventType, RoomEvent } from "../core/event.ts";
import { flag, integer, optional } from "../core/field.ts";
import type { RoomId } from "../core/ids.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { elapsedMs, type Instant } from "../core/time.ts";
import { lastKnown } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { ignoringFaults } from "../engine/ignoring-faults.ts";
import { type InFlight, NOTHING_IN_FLIGHT } from "../engine/in-flight.ts";
import { newestEvents } from "../engine/newest-events.ts";
import { type Call, operation } from "../engine/operation.ts";
import { waitLimit } from "../engine/wait-limit.ts";
import { type MyMessages, takeAtEnd } from "../mail/take-messages.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { grantedFacts } from "./granted-facts.ts";
import { type ListenAnswer, type ListenRefusal, listen } from "./listen.ts";
import { afterWait } from "./rules/after-answer.ts";
import type { RoomIsClosed, TurnAnswer, YourTurn } from "./rules/answers.ts";
import { type TurnRefusal, untilTurn, type WaitForTurnInput } from "./wait-for-turn.ts";

export type WaitedAnswer = TurnAnswer & Partial<Pick<MyMessages, "messages" | "remaining">>;

/** The messages in the answer are in flight until it is out. */
export interface Waited extends InFlight {
  readonly answer: WaitedAnswer;
}

export async function waitWithMail(
  deps: Deps,
  caller: Caller,
  input: Omit<WaitForTurnInput, "enough">,
): Promise<Waited | Refusal<TurnRefusal>> {
  const { wakeOnMessage = true, takesMail: isWanted = true } = input;
  const takesMail = isWanted && wakeOnMessage && caller.facts?.isSubagent !== true;
  let hasWaited = false;
  const answer = await untilTurn(deps, caller, {
    ...input,
    takesMail,
    onLook: (seen) => {
      hasWaited = true;
      input.onLook?.(seen);
    },
  });
  if (isRefusal(answer)) return answer;
  const isOver = input.signal?.aborted === true;
  const taken = takesMail && hasWaited && !isOver ? await takeAtEnd(deps, caller, { transport: "wait" }) : null;
  if (taken === null || taken.answer.count === 0) return { answer, ...NOTHING_IN_FLIGHT };
  const { messages, remaining } = taken.answer;
  const unread = answer.status === "not_yet" ? { unread: remaining } : {};
  return { ...taken, answer: { ...answer, ...unread, messages, remaining } };
}

/** What a wait may answer, with its mail. */
export type HeardAnswer = WaitedAnswer | ListenAnswer;

/** Mail is taken only where the call can tell that its answer is out. */
export const waitForTurn = operation({
  name: "wait_for_turn",
  summary:
    "Waits for the stick: your_turn gives turn_id, lease_id and the handoff; not_yet says who holds it and your place; its next names the attempt to call again with (the place is kept); takeover_available: the holder is gone. New mail ends the wait and comes with the answer, unless wake_on_message is false. max_wait_ms 0 looks once. claim false takes only what is handed to you, and your mail.",
  needs: { store: "change", caller: "known", room: "joined" },
  input: {
    // Not used: it only makes each call differ from the one before.
    attempt: optional(integer()),
    maxWaitMs: optional(integer()),
    wakeOnMessage: optional(flag()),
    claim: optional(flag()),
  },
  // A subagent may not wait for its main agent's mail.
  refusals: ["room_closed", "unknown_member", "not_authorized"],
  mcp: "core",
  async run({ deps, caller, roomId }, { maxWaitMs, wakeOnMessage = true, claim = true }, call) {
    const limit = await waitLimit(deps, roomId, call, maxWaitMs);
    const isOneLook = limit.maxWaitMs === 0;
    const since = deps.clock.now().instant;
    // A single look ends before it could be cancelled, and listening for a signal costs time.
    const signal = isOneLook ? undefined : call.cancel;
    const wanted = { roomId, ...limit, ...(signal && { signal }) };
    const answer = claim
      ? await waitInQueue(deps, caller, { ...wanted, wakeOnMessage }, isOneLook ? {} : call)
      : await receive(deps, caller, wanted, call);
    if (isRefusal(answer)) return answer;
    if (answer.status === "your_turn") await call.turns?.granted(caller, roomId, answer);
    const told = await withReasons(deps, roomId, answer, { since, ...wanted });
    return { ...told, next: afterWait(told, claim, caller) };
  },
});

/** A grant counts the open notes; a wait that ended without one says what ended it, or who closed the room. */
async function withReasons(
  deps: Deps,
  roomId: RoomId,
  answer: HeardAnswer,
  {
    since,
    signal,
    maxWaitMs = lastKnown(deps, roomId)?.room.policy.waitMaxMs ?? 0,
  }: Pick<Wanted, "maxWaitMs" | "signal"> & { readonly since: Instant },
): Promise<HeardAnswer> {
  if (answer.status === "your_turn") {
    // The turn is granted, whether or not its notes can be counted.
    const openNotes = await ignoringFaults(() => deps.store.countOpenNotes(roomId));
    const facts = await ignoringFaults(() => grantedFacts(deps, roomId, answer));
    const given = answer.reason === "given" ? await ignoringFaults(() => giving(deps, roomId)) : null;
    return { ...answer, ...(given && { given }), ...(openNotes !== null && { openNotes }), ...facts };
  }
  if (answer.status === "closed") return { ...answer, ...(await ignoringFaults(() => closing(deps, roomId))) };
  if (answer.status !== "not_yet") return answer;
  if (maxWaitMs === 0) return { ...answer, endedBy: "one_look" };
  if (signal?.aborted) return { ...answer, endedBy: "cancelled" };
  const hasMail = answer.unread > 0 || (answer.messages ?? []).length > 0;
  const isEarly = elapsedMs(since, deps.clock.now().instant) < maxWaitMs;
  return { ...answer, endedBy: hasMail && isEarly ? "mail" : "time_limit" };
}

async function newestOf({ store }: Deps, roomId: RoomId, wanted: EventType): Promise<RoomEvent | undefined> {
  const snapshot = await store.readRoom(roomId);
  const events = snapshot ? await newestEvents(store, snapshot.room, 1, ({ type }) => type === wanted) : [];
  return events[0];
}

async function giving(deps: Deps, roomId: RoomId): Promise<YourTurn["given"] | null> {
  const given = await newestOf(deps, roomId, "given");
  return given?.fromAgentId ? { by: given.fromAgentId, reason: given.reason } : null;
}

async function closing(deps: Deps, roomId: RoomId): Promise<Omit<RoomIsClosed, "status">> {
  const close = await newestOf(deps, roomId, "close");
  if (!close) return {};
  const { fromAgentId, reason } = close;
  return { ...(fromAgentId !== null && { closedBy: fromAgentId }), ...(reason !== null && { reason }) };
}

type Wanted = Pick<WaitForTurnInput, "maxWaitMs" | "wakeOnMessage" | "signal"> & { readonly roomId: RoomId };

async function waitInQueue(
  deps: Deps,
  caller: Caller,
  wanted: Wanted,
  { afterOutput, onLook }: Call,
): Promise<WaitedAnswer | Refusal<TurnRefusal>> {
  const takesMail = afterOutput !== undefined;
  const waited = await waitWithMail(deps, caller, { ...wanted, takesMail, ...(onLook && { onLook }) });
  if (isRefusal(waited)) return waited;
  afterOutput?.(waited);
  return waited.answer;
}

/** Stores the cursor when the answer is out: if a call fails before, the next one repeats the news. */
async function receive(
  deps: Deps,
  caller: Caller,
  wanted: Wanted,
  { afterOutput, heard: memory, turns }: Call,
): Promise<ListenAnswer | Refusal<ListenRefusal>> {
  const { roomId } = wanted;
  const afterEventSeq = memory?.recall(caller, roomId);
  const knownTurn = turns?.known(caller, roomId);
  const heard = await listen(deps, caller, {
    ...wanted,
    ...(afterEventSeq !== undefined && { afterEventSeq }),
    ...(knownTurn !== undefined && { knownTurn }),
  });
  if (isRefusal(heard)) return heard;
  const confirm = async () => {
    memory?.remember(caller, roomId, heard.cursorEventSeq);
    await heard.confirm();
  };
  afterOutput?.({ ...heard, confirm });
  return heard.answer;
}
