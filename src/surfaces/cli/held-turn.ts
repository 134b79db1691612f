import type { RoomId } from "../../core/ids.ts";
import type { Refusal } from "../../core/refusal.ts";
import type { Deps } from "../../engine/deps.ts";
import type { Held } from "../../engine/operation.ts";
import type { AgentMemory } from "../../engine/ports/agent-memory.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import { withoutTurn } from "../../stick/without-turn.ts";

/** The turn that this agent was granted, as remembered by the command that got it. */
export async function heldTurn(
  deps: Deps,
  memory: AgentMemory,
  caller: Caller,
  roomId: RoomId,
): Promise<Held | Refusal> {
  const turn = memory.recallTurn(caller, roomId);
  if (turn) return { leaseId: turn.leaseId, expectedTurnId: turn.turnId };
  return withoutTurn(deps, caller, { roomId, missing: "its lease is not stored here" });
}
