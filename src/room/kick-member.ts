import { agentId, flag, optional } from "../core/field.ts";
import { reasonField } from "../core/handoff.ts";
import { type AgentId, asAgentId, asHandle } from "../core/ids.ts";
import { changeRoom } from "../engine/commit.ts";
import { operation } from "../engine/operation.ts";
import { presentName } from "./rules/alias.ts";
import { kickMember as decideKick } from "./rules/kick.ts";
import type { Room } from "./rules/room.ts";

export const kickMember = operation({
  name: "kick_member",
  summary:
    "Removes a member that is gone. Only a person at the command line may use force, which also removes a live one.",
  needs: { store: "change", caller: "known", room: "existing" },
  input: {
    targetAgentId: agentId(),
    force: optional(flag()),
    reason: optional(reasonField()),
  },
  refusals: ["unknown_member", "cannot_kick_self", "unknown_target", "target_active", "not_authorized"],
  mcp: "gateway",
  async run({ deps, caller, roomId }, { targetAgentId, force = false, reason = null }) {
    const snapshot = await deps.store.readRoom(roomId);
    // Which of them a name means is known only in the transaction.
    const about = [...(snapshot?.room.state.members.keys() ?? [])];
    return changeRoom(
      deps,
      caller,
      { roomId },
      ({ room, aliases }, given) => {
        const target = memberNamed(room, presentName(room, aliases, targetAgentId));
        return decideKick(room, given, { targetAgentId: target, force, reason });
      },
      { about },
    );
  },
});

/** A member's id, or its handle. */
function memberNamed(room: Room, name: string): AgentId {
  const called = [...room.presence.values()].find(({ handle }) => handle === asHandle(name));
  return room.state.members.has(asAgentId(name)) ? asAgentId(name) : (called?.agentId ?? asAgentId(name));
}
