/** The state card: what an agent is doing, in its own words. The log gets an event only when it says something new. */

import type { StateCard } from "../../core/event.ts";
import type { AgentId } from "../../core/ids.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { Given } from "../../session/rules/decision-input.ts";
import { type Decision, record } from "./change.ts";
import { asMember } from "./join.ts";
import type { TakenHandles } from "./membership.ts";
import type { Room } from "./room.ts";

export interface CardSet {
  readonly agentId: AgentId;
  readonly stateCard: StateCard;
  /** False when the card said so already. */
  readonly changed: boolean;
}

export function setCard(
  room: Room,
  given: Given,
  handles: TakenHandles,
  stateCard: StateCard,
): Decision<CardSet | Refusal<"room_closed">> {
  return asMember<CardSet, never>(room, given, handles, (change) => {
    const { agentId } = given.caller;
    const known = change.room.state.members.get(agentId)?.card ?? null;
    if (known && isSameCard(known, stateCard)) return { change, answer: { agentId, stateCard, changed: false } };
    const recorded = record(change, given, "state_changed", { card: stateCard }, { from: agentId });
    return { change: recorded, answer: { agentId, stateCard, changed: true } };
  });
}

function isSameCard(a: StateCard, b: StateCard): boolean {
  return (
    a.purpose === b.purpose &&
    a.blockedOn === b.blockedOn &&
    JSON.stringify(a.files ?? []) === JSON.stringify(b.files ?? [])
  );
}
