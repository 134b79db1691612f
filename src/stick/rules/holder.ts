/** The check every holder's call passes: first the turn, then the lease and the owner, in this order. */

import type { LeaseId } from "../../core/ids.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { roomClosed, stickFacts } from "../../room/rules/refusals.ts";
import type { Room } from "../../room/rules/room.ts";
import type { Given } from "../../session/rules/decision-input.ts";

export interface HolderToken {
  readonly leaseId: LeaseId;
  readonly expectedTurnId: number;
}

export type HolderRefusal = "room_closed" | "turn_mismatch" | "stale_lease";

export function holderRefusal(room: Room, given: Given, token: HolderToken): Refusal<HolderRefusal> | null {
  if (room.state.status === "closed") return roomClosed(room);
  if (token.expectedTurnId !== room.state.turnId) {
    const isOwner = room.state.owner === given.caller.agentId;
    return refuse(
      "turn_mismatch",
      `The room is at turn ${room.state.turnId}, not ${token.expectedTurnId}.`,
      isOwner
        ? `The turn is yours: give ${room.state.turnId} as its number; a look at your turn returns it with its lease.`
        : "Your turn is over: wait for the next one before you write again.",
      stickFacts(room, given),
    );
  }
  const holds = room.state.owner === given.caller.agentId && room.lease?.leaseId === token.leaseId;
  if (holds) return null;
  return refuse(
    "stale_lease",
    `${given.caller.agentId} does not hold turn ${room.state.turnId} with this lease.`,
    "Wait for your turn; if you are the owner, a look at your turn returns the current lease.",
    stickFacts(room, given),
  );
}
