import type { RoomId } from "../core/ids.ts";
import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { roomState } from "../room/get-room-state.ts";
import { roomClosed } from "../room/rules/refusals.ts";
import type { Caller } from "../session/rules/decision-input.ts";

/** For a caller that cannot prove a turn: who holds the stick. The holder itself is told how to get the proof. */
export async function withoutTurn(
  deps: Deps,
  caller: Caller,
  { roomId, missing }: { readonly roomId: RoomId; readonly missing: string },
): Promise<Refusal<"room_closed" | "stale_lease" | "room_not_found">> {
  const seen = await roomState(deps, caller, roomId);
  if (isRefusal(seen)) return seen;
  const { owner, turnId, state, canonicalPath } = seen.room;
  if (state === "closed") return roomClosed({ id: roomId, path: canonicalPath }, caller);
  const { agentId } = caller;
  const holds = owner === agentId;
  return refuse(
    "stale_lease",
    holds
      ? `${agentId} holds the stick, but ${missing}.`
      : `${agentId} does not hold the stick: ${owner === null ? "nobody does" : `${owner} does`}.`,
    holds
      ? ["Get the lease with: ", { do: "wait_for_turn", with: { max_wait_ms: 0 } }]
      : ["Wait for the stick with: ", { do: "wait_for_turn" }],
    {
      agent_id: agentId,
      room_id: roomId,
      current_owner: owner,
      current_turn_id: turnId,
      room_state: state,
    },
  );
}
