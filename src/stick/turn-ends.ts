/**
 * How the caller's last turn in a room ended, or its stay there. The room knows the event that ended a member's last turn,
 * and the store finds a departure by an index, so that no log is searched.
 */

import type { RoomEvent } from "../core/event.ts";
import type { AgentId, RoomId } from "../core/ids.ts";
import { withSnakeKeys } from "../core/letter-case.ts";
import { LIMITS } from "../core/limits.ts";
import { type EndFacts, isRefusal, type Refusal, type RefusalCode } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { ownNames } from "../engine/evidence.ts";
import { ignoringFaults } from "../engine/ignoring-faults.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { isLoss, policyChangesBefore, type TurnEnd, turnEndBy } from "./rules/turn-end.ts";
import { turnEndText } from "./rules/turn-end-text.ts";

type Named = Pick<Caller, "agentId" | "formerId">;
type Reads = Pick<Deps, "store">;

/** How another has ended the caller's turn or stay; null if the last one ended otherwise, or goes on. */
export async function lossIn(deps: Reads, caller: Named, room: Room): Promise<TurnEnd | null> {
  const end = await lastEnd(deps, caller, room);
  return end && isLoss(end, ownNames(caller)) ? end : null;
}

async function lastEnd({ store }: Reads, caller: Named, room: Room): Promise<TurnEnd | null> {
  const names = ownNames(caller);
  const departure = await store.readDeparture(room.id, names);
  const heldSeq = lastHeldSeq(room, names);
  const isOver = heldSeq <= (departure?.seq ?? 0);
  const event = isOver ? departure : await eventAt({ store }, room, heldSeq);
  return event && turnEndBy(event);
}

function lastHeldSeq({ state }: Room, names: readonly AgentId[]): number {
  return Math.max(0, ...names.map((name) => state.members.get(name)?.heldSeq ?? 0));
}

/** Null if it was pruned. */
async function eventAt({ store }: Reads, room: Room, seq: number): Promise<RoomEvent | null> {
  const [event] = await store.readEventsBefore(room.id, seq + 1, 1);
  return event?.seq === seq ? event : null;
}

/** The same, with the policy changes that may have caused it. They need a search, so only for an end to report. */
export async function withPolicyChanges({ store }: Reads, room: Room, end: TurnEnd): Promise<TurnEnd> {
  if (end.how !== "takeover" || end.ground === "operator_requested") return end;
  const events = await store.readEventsBefore(room.id, end.eventSeq, LIMITS.eventsPerScan);
  const policyChanges = policyChangesBefore(end, events);
  return policyChanges.length > 0 ? { ...end, policyChanges } : end;
}

const ABOUT_A_TURN: readonly RefusalCode[] = ["turn_mismatch", "stale_lease", "room_closed"];

/** The answer to a former holder's call says how its turn ended, in words and in the facts. */
export async function withTurnEnd<Answer extends object, Code extends RefusalCode>(
  deps: Reads,
  caller: Named,
  { roomId, expectedTurnId }: { readonly roomId: RoomId; readonly expectedTurnId: number },
  answer: Answer | Refusal<Code>,
): Promise<Answer | Refusal<Code>> {
  if (!isRefusal(answer) || !ABOUT_A_TURN.includes(answer.error)) return answer;
  const end = await ignoringFaults(async () => {
    const snapshot = await deps.store.readRoom(roomId);
    if (!snapshot) return null;
    const last = await lastEnd(deps, caller, snapshot.room);
    return last?.turnId === expectedTurnId ? withPolicyChanges(deps, snapshot.room, last) : null;
  });
  if (!end) return answer;
  return {
    ...answer,
    message: `${answer.message} ${turnEndText(end)}`,
    facts: { ...answer.facts, ended: factsOf(end) },
  };
}

/** As it goes over the wire. */
export function factsOf(end: TurnEnd): EndFacts {
  return withSnakeKeys(end) as EndFacts;
}
