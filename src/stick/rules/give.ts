import { isPersonsName } from "../../core/agent-id.ts";
import type { AgentId } from "../../core/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../core/refusal.ts";
import { begin, type Decision, record } from "../../room/rules/change.ts";
import { asMember } from "../../room/rules/join.ts";
import { alivenessIn } from "../../room/rules/liveness.ts";
import type { TakenHandles } from "../../room/rules/membership.ts";
import { findRecipient, type RecipientRefusal } from "../../room/rules/recipient.ts";
import { notAuthorized, stickFacts, turnMismatch } from "../../room/rules/refusals.ts";
import type { Room } from "../../room/rules/room.ts";
import { settle } from "../../room/rules/settle.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { takeoverGround } from "./grant.ts";
import { notHere, reservedByName } from "./pass.ts";
import { reasonOrNull } from "./turn-end-text.ts";

export interface GiveStick {
  /** An agent id, a handle, or a harness of which one member is active. */
  readonly to: string;
  readonly reason: string | null;
  /** The person wants to end the turn of an active holder. */
  readonly operatorRequested: boolean;
  /** The turn that the person saw; null if it does not matter. */
  readonly expectedTurnId: number | null;
}

export interface StickGiven {
  readonly status: "given";
  readonly reservedFor: AgentId;
  /** The agent whose turn this ended. */
  readonly revokedAgentId: AgentId | null;
  /** The recipient gets its turn only when the room is resumed. */
  readonly paused: boolean;
  readonly eventSeq: number;
}

type RecipientProblem = Refusal<
  RecipientRefusal | "recipient_unreachable" | "takeover_ineligible" | "target_active" | "turn_mismatch"
>;

export type GiveAnswer = StickGiven | RecipientProblem | Refusal<"not_authorized" | "room_closed">;

/**
 * A person hands the stick on, also from an active holder. The last handoff stays attached. The person becomes a member
 * by it, and so may give the stick to itself.
 */
export function giveStick(room: Room, given: Given, handles: TakenHandles, command: GiveStick): Decision<GiveAnswer> {
  if (!given.caller.isPerson) {
    const answer = notAuthorized("give the stick to another agent", "pass it on if you hold it");
    return { change: settle(begin(room), given), answer };
  }
  return asMember(room, given, handles, (change) => {
    const recipient = recipientOf(change.room, given, command);
    if (isRefusal(recipient)) return recipient;
    const { owner, paused } = change.room.state;
    const details = { from: given.caller.agentId, to: recipient, reason: reasonOrNull(command.reason) };
    const moved = reservedByName(record(change, given, "given", { revokedAgentId: owner }, details), given);
    return {
      change: moved,
      answer: {
        status: "given",
        reservedFor: recipient,
        revokedAgentId: owner,
        paused: paused !== null && !isPersonsName(recipient),
        eventSeq: moved.room.state.lastSeq,
      },
    };
  });
}

function recipientOf(
  room: Room,
  given: Given,
  { to, operatorRequested, expectedTurnId }: GiveStick,
): AgentId | RecipientProblem {
  const agentId = findRecipient([room], given, to);
  if (isRefusal(agentId)) return agentId;
  if (expectedTurnId !== null && expectedTurnId !== room.state.turnId) return turnMismatch(room, given, expectedTurnId);
  if (agentId === room.state.owner) {
    return refuse(
      "takeover_ineligible",
      `${agentId} holds the stick already.`,
      "Give it to another member, or leave it.",
      stickFacts(room, given),
    );
  }
  if (!alivenessIn(room, agentId, given).isActive) {
    return notHere(agentId, ["Give it to an active member. See who is active: ", { do: "get_room_state" }]);
  }
  return isTakenFromActive(room, given) && !operatorRequested ? holderIsActive(room, given) : agentId;
}

/** Whether giving the stick would end the turn of another that is still active. */
function isTakenFromActive(room: Room, given: Given): boolean {
  const { owner } = room.state;
  return owner !== null && owner !== given.caller.agentId && takeoverGround(room, given) === null;
}

function holderIsActive(room: Room, given: Given): Refusal<"target_active"> {
  return refuse(
    "target_active",
    `${room.state.owner} holds the stick and is still active.`,
    ["Wait for its release, or give the stick on anyway, with ", { shell: "--yes.", server: "operator_requested." }],
    stickFacts(room, given),
  );
}
