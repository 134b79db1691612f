import type { LeaveReason } from "../../core/event.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { begin, type Decision, record } from "./change.ts";
import { clearDeparted, departureOf, isMember } from "./membership.ts";
import { unknownMember } from "./refusals.ts";
import type { Room } from "./room.ts";
import { settle } from "./settle.ts";

export interface Left {
  readonly status: "left";
  readonly canonicalPath: string;
  readonly remainingMembers: number;
  /** The turn that ended with it, without a handoff; only of a caller that held the stick. */
  readonly gaveUpTurnId?: number;
}

/** The caller leaves, by its own will or because its session ended; a held stick goes to the next one. */
export function leaveRoom(
  room: Room,
  given: Given,
  reason: Extract<LeaveReason, "left" | "session_ended">,
): Decision<Left | Refusal<"unknown_member">> {
  const settled = settle(begin(room), given);
  const { agentId } = given.caller;
  if (!isMember(settled.room, agentId))
    return { change: settled, answer: { ...unknownMember(room, given), next: "There is nothing to leave." } };
  const departure = departureOf(settled.room, given, agentId);
  const recorded = record(settled, given, "member_left", { reason, ...departure }, { from: agentId });
  const change = clearDeparted(recorded, given, agentId, departure);
  return {
    change,
    answer: {
      status: "left",
      canonicalPath: room.path,
      remainingMembers: change.room.state.members.size,
      ...(departure.wasOwner && { gaveUpTurnId: settled.room.state.turnId }),
    },
  };
}
