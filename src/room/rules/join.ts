import { isRefusal, type Refusal, type RefusalCode } from "../../core/refusal.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { begin, type Change, type Decision, record } from "./change.ts";
import { showUp, type TakenHandles } from "./membership.ts";
import { roomClosed } from "./refusals.ts";
import type { Room } from "./room.ts";
import { settle } from "./settle.ts";

/** An explicit join. A closed room is reopened by it. */
export function joinRoom(room: Room, given: Given, handles: TakenHandles): Decision<true> {
  const settled = settle(begin(room), given);
  const open =
    settled.room.state.status === "closed"
      ? record(settled, given, "reopen", {}, { from: given.caller.agentId })
      : settled;
  return { change: showUp(open, given, handles), answer: true };
}

/** The implicit join of changing calls and waits: refused in a closed room. */
function comeIn(settled: Change, given: Given, handles: TakenHandles): Change | Refusal<"room_closed"> {
  if (settled.room.state.status === "closed") return roomClosed(settled.room, given.caller);
  return showUp(settled, given, handles);
}

/**
 * Runs a changing command of a caller that may not be a member yet. A refused command leaves no trace, except that
 * every call of the holder renews its lease.
 */
export function asMember<Answer, Code extends RefusalCode>(
  room: Room,
  given: Given,
  handles: TakenHandles,
  command: (change: Change) => Decision<Answer> | Refusal<Code>,
): Decision<Answer | Refusal<Code | "room_closed">> {
  const settled = settle(begin(room), given);
  const inside = comeIn(settled, given, handles);
  if (isRefusal(inside)) return { change: settled, answer: inside };
  const decision = command(inside);
  if (!isRefusal(decision)) return decision;
  const isOwner = settled.room.state.owner === given.caller.agentId;
  return { change: isOwner ? inside : settled, answer: decision };
}
