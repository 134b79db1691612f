import type { RoomId } from "../../core/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../core/refusal.ts";
import type { Deps } from "../../engine/deps.ts";
import type { Held } from "../../engine/operation.ts";
import type { AgentMemory } from "../../engine/ports/agent-memory.ts";
import { roomState } from "../../room/get-room-state.ts";
import { roomClosed } from "../../room/rules/refusals.ts";
import type { Caller } from "../../session/rules/decision-input.ts";

/** The turn that this agent was granted, as remembered by the command that got it. */
export async function heldTurn(
  deps: Deps,
  memory: AgentMemory,
  caller: Caller,
  roomId: RoomId,
): Promise<Held | Refusal> {
  const turn = memory.recallTurn(caller, roomId);
  return turn ? { leaseId: turn.leaseId, expectedTurnId: turn.turnId } : noTurn(deps, caller, roomId);
}

/** A caller without a turn is told who has it, as the room itself would tell. */
async function noTurn(deps: Deps, caller: Caller, roomId: RoomId): Promise<Refusal> {
  const seen = await roomState(deps, caller, roomId);
  if (isRefusal(seen)) return seen;
  const { owner, turnId, state, canonicalPath } = seen.room;
  if (state === "closed") return roomClosed({ id: roomId, path: canonicalPath });
  const { agentId } = caller;
  const holds = owner === agentId;
  const message = holds
    ? `${agentId} holds the stick, but its lease is not stored here.`
    : `${agentId} does not hold the stick: ${owner === null ? "nobody does" : `${owner} does`}.`;
  const next = holds ? "Get the lease with: tt try" : "Wait for the stick with: tt wait";
  return refuse("stale_lease", message, next, {
    agent_id: agentId,
    room_id: roomId,
    current_owner: owner,
    current_turn_id: turnId,
    room_state: state,
  });
}
