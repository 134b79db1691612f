import type { AgentId, RoomId } from "../core/ids.ts";
import { isRefusal } from "../core/refusal.ts";
import type { Deps } from "../engine/deps.ts";
import { lookAtRoom } from "../engine/evidence.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { kickMember } from "./rules/kick.ts";

/** Whether a kick by this caller would remove the member now: plainly, only with force, or not at all. A read. */
export async function kickable(
  deps: Deps,
  caller: Caller,
  { roomId, target }: { readonly roomId: RoomId; readonly target: AgentId },
): Promise<"plainly" | "by force" | "not"> {
  const snapshot = await deps.store.readRoom(roomId);
  if (!snapshot) return "not";
  const { room } = snapshot;
  const given = await lookAtRoom(deps, snapshot, { caller, about: [target] });
  const wouldWork = (force: boolean) =>
    !isRefusal(kickMember(room, given, { targetAgentId: target, force, reason: null }).answer);
  return wouldWork(false) ? "plainly" : wouldWork(true) ? "by force" : "not";
}
