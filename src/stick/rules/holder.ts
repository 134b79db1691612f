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
  if (room.state.status === "closed") return roomClosed(room, given.caller);
  if (token.expectedTurnId !== room.state.turnId) {
    const isOwner = room.state.owner === given.caller.agentId;
    return refuse(
      "turn_mismatch",
      `The room is at turn ${room.state.turnId}, not ${token.expectedTurnId}.`,
      isOwner
        ? [`You hold turn ${room.state.turnId}. Get its lease: `, { do: "wait_for_turn", with: { max_wait_ms: 0 } }]
        : ["Your turn is over. Before you write again, wait for the next one: ", { do: "wait_for_turn" }],
      stickFacts(room, given),
    );
  }
  const holds = room.state.owner === given.caller.agentId && room.lease?.leaseId === token.leaseId;
  if (holds) return null;
  return refuse(
    "stale_lease",
    `${given.caller.agentId} does not hold turn ${room.state.turnId} with this lease.`,
    room.state.owner === given.caller.agentId
      ? ["Get the current lease: ", { do: "wait_for_turn", with: { max_wait_ms: 0 } }]
      : ["Wait for your turn: ", { do: "wait_for_turn" }],
    stickFacts(room, given),
  );
}
