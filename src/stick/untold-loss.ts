/**
 * The answer of a call tells its caller of a stick, or a place, that it lost in the room which the call is about, unless a
 * hook or an earlier answer did. The call itself is done by then, so nothing that goes wrong here makes it fail.
 */

import { Fault } from "../core/fault.ts";
import type { RoomId } from "../core/ids.ts";
import type { EndFacts } from "../core/refusal.ts";
import { lastKnown } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { ignoringFaults } from "../engine/ignoring-faults.ts";
import type { AgentMemory } from "../engine/ports/agent-memory.ts";
import type { Room } from "../room/rules/room.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { TurnEnd } from "./rules/turn-end.ts";
import { turnEndText } from "./rules/turn-end-text.ts";
import { factsOf, lossIn, withPolicyChanges } from "./turn-ends.ts";

export type LossMemory = Pick<AgentMemory, "recallLosses" | "rememberLosses">;

/** What an answer holds of it. */
export interface LostFacts extends EndFacts {
  /** The same in words. */
  readonly message: string;
}

export function lostFacts(end: TurnEnd): LostFacts {
  return { message: turnEndText(end), ...factsOf(end) };
}

/** `seen`: the room as the call found it. If the call has changed it since, the room as the call left it. */
export function asLeft(deps: Deps, seen: Room): Room {
  const left = lastKnown(deps, seen.id)?.room;
  return left && left.state.lastSeq > seen.state.lastSeq ? left : seen;
}

export function untoldLoss(deps: Deps, memory: LossMemory, caller: Caller, room: Room): Promise<TurnEnd | null> {
  return ignoringFaults(async () => {
    // A caller that holds the stick again learned of it with the turn that it was given.
    const end = room.state.owner === caller.agentId ? null : await lossIn(deps, caller, room);
    if (!end) return null;
    const told = memory.recallLosses(caller).get(room.id);
    const isNews = !told || told.eventSeq < end.eventSeq;
    const isToldAgain = told?.eventSeq === end.eventSeq && told.state === "returned";
    return isNews || isToldAgain ? withPolicyChanges(deps, room, end) : null;
  });
}

/** Called after the answer has left the process. What a subagent was told, its main agent must still be told. */
export function rememberTold(
  memory: LossMemory,
  caller: Caller,
  roomId: RoomId,
  { eventSeq, eventId }: Pick<TurnEnd, "eventSeq" | "eventId">,
): void {
  if (caller.facts?.isSubagent) return;
  try {
    const told = memory.recallLosses(caller);
    if ((told.get(roomId)?.eventSeq ?? -1) > eventSeq) return;
    const entry = { eventSeq, eventId, state: "told", turn: null, times: 1 } as const;
    memory.rememberLosses(caller, new Map([...told, [roomId, entry]]));
  } catch (error) {
    // The agent is told again.
    if (!(error instanceof Fault)) throw error;
  }
}
