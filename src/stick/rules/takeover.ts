import type { TakeoverGround } from "../../core/event.ts";
import { type Handoff, isFilled } from "../../core/handoff.ts";
import type { AgentId, LeaseId } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import { invalidInput, isRefusal, type Refusal, refuse } from "../../core/refusal.ts";
import { wallTimeOf } from "../../core/time.ts";
import { type Decision, record } from "../../room/rules/change.ts";
import { asMember } from "../../room/rules/join.ts";
import { alivenessIn } from "../../room/rules/liveness.ts";
import type { TakenHandles } from "../../room/rules/membership.ts";
import { isHeldBack, notAuthorized, roomPaused, stickFacts, turnMismatch } from "../../room/rules/refusals.ts";
import type { Room } from "../../room/rules/room.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { takeoverGround, withFreshLease } from "./grant.ts";

export interface TakeoverStick {
  readonly expectedTurnId: number;
  readonly reason: string;
  /** A person asks to take the stick from a live owner. */
  readonly operatorRequested: boolean;
  readonly gitHead: string | null;
}

export interface TakenOver {
  readonly status: "your_turn";
  readonly turnId: number;
  readonly leaseId: LeaseId;
  readonly leaseExpiresAt: string;
  readonly revokedAgentId: AgentId;
  readonly ground: TakeoverGround;
  readonly reason: string;
  readonly handoff: Handoff | null;
}

type TakeoverRefusal =
  | "turn_mismatch"
  | "takeover_ineligible"
  | "takeover_not_available"
  | "not_authorized"
  | "room_paused";

/** Takes the stick from an owner that is gone or whose lease has expired. The fencing token makes the old lease void. */
export function takeoverStick(
  room: Room,
  given: Given,
  handles: TakenHandles,
  command: TakeoverStick,
): Decision<TakenOver | Refusal<TakeoverRefusal | "invalid_input" | "room_closed">> {
  return asMember(room, given, handles, (change) => {
    const ground = permittedGround(change.room, given, command);
    if (isRefusal(ground)) return ground;
    const { owner, turnId, handoff } = change.room.state;
    invariant(owner !== null, "a takeover ground implies an owner");
    const recorded = record(
      change,
      given,
      "takeover",
      { revokedAgentId: owner, ground, gitHead: command.gitHead },
      { from: given.caller.agentId, to: owner, turnId: turnId + 1, reason: command.reason },
    );
    const taken = withFreshLease(recorded, given);
    invariant(taken.room.lease, "a taken stick has a lease");
    return {
      change: taken,
      answer: {
        status: "your_turn",
        turnId: taken.room.state.turnId,
        leaseId: taken.room.lease.leaseId,
        leaseExpiresAt: wallTimeOf(taken.room.lease.deadline, given.moment),
        revokedAgentId: owner,
        ground,
        reason: command.reason,
        handoff: handoff?.handoff ?? null,
      },
    };
  });
}

function permittedGround(
  room: Room,
  given: Given,
  command: TakeoverStick,
): TakeoverGround | Refusal<TakeoverRefusal | "invalid_input"> {
  if (!isFilled(command.reason)) {
    return invalidInput(
      "reason",
      "A takeover needs a reason in words.",
      'Say why the owner will not come back, such as "its terminal was closed".',
    );
  }
  if (command.expectedTurnId !== room.state.turnId) {
    return turnMismatch(room, given, command.expectedTurnId);
  }
  if (room.state.owner === given.caller.agentId) {
    return refuse(
      "takeover_ineligible",
      "You hold the stick already.",
      ["Go on working. Get your lease: ", { do: "wait_for_turn", with: { max_wait_ms: 0 } }],
      stickFacts(room, given),
    );
  }
  if (isHeldBack(room, given.caller)) {
    return roomPaused(room, ["Wait: the room goes on when a person resumes it: ", { do: "wait_for_turn" }]);
  }
  if (command.operatorRequested && !given.caller.isPerson)
    return notAuthorized("take the stick from a live owner", "ask the holder to hand over");
  const ground = takeoverGround(room, given);
  if (ground !== null) return ground;
  if (command.operatorRequested && room.state.owner !== null) return "operator_requested";
  return notAvailable(room, given);
}

function notAvailable(room: Room, given: Given): Refusal<"takeover_not_available"> {
  const { owner, reservation } = room.state;
  // A person need not wait for a reservation to expire, which in a paused room it never does.
  if (reservation !== null && given.caller.isPerson && reservation.agentId !== given.caller.agentId) {
    return refuse(
      "takeover_not_available",
      `Nobody holds the stick: it is reserved for ${reservation.agentId}.`,
      ["Give it to yourself: ", { do: "give_stick", with: { to_agent_id: given.caller.agentId } }],
      stickFacts(room, given),
    );
  }
  const silentMs = owner === null ? null : alivenessIn(room, owner, given).toldSilenceMs;
  return refuse(
    "takeover_not_available",
    owner === null ? "Nobody holds the stick, so there is nothing to take over." : `${owner} is still active.`,
    owner === null
      ? ["Take your turn: ", { do: "wait_for_turn" }]
      : [
          "Wait for your turn: ",
          { do: "wait_for_turn" },
          ". If the holder dies or its lease expires, the wait says so.",
        ],
    { ...stickFacts(room, given), ...(silentMs !== null && { silent_ms: silentMs }) },
  );
}
