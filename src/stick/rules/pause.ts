/**
 * A person stops the room, and lets it go on.
 *
 * While the room is paused, no agent is given the stick and no reservation expires. Waiters keep their places. The holder
 * keeps its turn: it may renew its lease and release. Passing and taking over are refused; a person may take and give.
 */
import type { AgentId } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { Deadline } from "../../core/time.ts";
import { begin, type Decision, record, withRoom } from "../../room/rules/change.ts";
import { lastingWait } from "../../room/rules/liveness.ts";
import { nextInQueue } from "../../room/rules/queue.ts";
import { notAuthorized, roomClosed } from "../../room/rules/refusals.ts";
import type { Pause, Room } from "../../room/rules/room.ts";
import { claimDeadlineFor, settle } from "../../room/rules/settle.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { recipientDeadline } from "./pass.ts";
import { reasonOrNull } from "./turn-end-text.ts";

export interface Paused extends Pause {
  readonly status: "paused";
  /** It was paused already; nothing has changed. */
  readonly already: boolean;
}

export interface Resumed {
  readonly status: "resumed";
  /** It was not paused; nothing has changed. */
  readonly already: boolean;
  /** The agent that gets its turn now. */
  readonly reservedFor: AgentId | null;
}

type PauseRefusal = "not_authorized" | "room_closed";

export type ResumeAnswer = Resumed | Refusal<PauseRefusal>;

export function pauseRoom(
  room: Room,
  given: Given,
  command: { readonly reason: string | null },
): Decision<Paused | Refusal<PauseRefusal>> {
  const settled = settle(begin(room), given);
  const refusal = refused(settled.room, given, "pause a room");
  if (refusal) return { change: settled, answer: refusal };
  const already = settled.room.state.paused !== null;
  const details = { from: given.caller.agentId, reason: reasonOrNull(command.reason) };
  const change = already ? settled : record(settled, given, "paused", {}, details);
  const { paused } = change.room.state;
  invariant(paused, "the room is paused now");
  return { change, answer: { status: "paused", already, ...paused } };
}

/**
 * A stick that is free is reserved for the next in the queue, as after a release. The agent for which it is reserved has
 * the whole time to take it, and each waiter has the whole grace to call again.
 */
export function resumeRoom(room: Room, given: Given): Decision<ResumeAnswer> {
  const settled = settle(begin(room), given);
  const refusal = refused(settled.room, given, "resume a room");
  if (refusal) return { change: settled, answer: refusal };
  const { paused, status } = settled.room.state;
  if (!paused) return { change: settled, answer: resumedWith(settled.room, true) };
  const next = status === "idle" ? nextInQueue(settled.room, given) : null;
  const recorded = record(settled, given, "resumed", { reservedFor: next }, { from: given.caller.agentId });
  const { room: resumed } = recorded;
  const waits = new Map([...resumed.waits].map(([id, wait]) => [id, lastingWait(wait, resumed, given.moment.instant)]));
  const change = withRoom(recorded, { claimDeadline: freshClaimDeadline(resumed, given), waits });
  return { change, answer: resumedWith(change.room, false) };
}

function resumedWith({ state }: Room, already: boolean): Resumed {
  return { status: "resumed", already, reservedFor: state.reservation?.agentId ?? null };
}

function freshClaimDeadline(room: Room, given: Given): Deadline | null {
  const { reservation } = room.state;
  if (reservation?.via === "pass") return recipientDeadline(room, given);
  return claimDeadlineFor(room, given, reservation?.agentId ?? null);
}

function refused(room: Room, { caller }: Given, what: string): Refusal<PauseRefusal> | null {
  if (!caller.isPerson) return notAuthorized(what, "wait for your turn");
  return room.state.status === "closed" ? roomClosed(room, caller) : null;
}
