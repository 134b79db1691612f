import { type AgentId, asAgentId, asHandle, asRoomId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { changeRoom, type Decide } from "../engine/commit.ts";
import { decodeAgentId, decodeFlag, decodeId, decodeText } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { presentName } from "./rules/alias.ts";
import { kickMember as decideKick, type Kicked } from "./rules/kick.ts";
import type { Room } from "./rules/room.ts";

export interface KickMemberInput {
  readonly roomId: string;
  readonly targetAgentId: string;
  readonly force?: boolean;
  readonly reason?: string;
}

/** A member's id, or its handle. */
function meant(room: Room, name: string): AgentId {
  const called = [...room.presence.values()].find(({ handle }) => handle === asHandle(name));
  return room.state.members.has(asAgentId(name)) ? asAgentId(name) : (called?.agentId ?? asAgentId(name));
}

export async function kickMember(deps: Deps, caller: Caller, input: KickMemberInput): Promise<Kicked | Refusal> {
  const targetAgentId = decodeAgentId("target_agent_id", input.targetAgentId);
  if (isRefusal(targetAgentId)) return targetAgentId;
  const reason = input.reason === undefined ? null : decodeText("reason", input.reason, LIMITS.reasonCharacters);
  if (isRefusal(reason)) return reason;
  const force = decodeFlag("force", input.force);
  if (isRefusal(force)) return force;
  const command = { force, reason };
  const decide: Decide<Kicked> = ({ room, aliases }, given) =>
    decideKick(room, given, { ...command, targetAgentId: meant(room, presentName(room, aliases, targetAgentId)) });
  const roomId = decodeId("room_id", input.roomId);
  if (isRefusal(roomId)) return roomId;
  const snapshot = await deps.store.readRoom(asRoomId(roomId));
  const named = snapshot ? meant(snapshot.room, targetAgentId) : targetAgentId;
  return changeRoom(deps, caller, input, decide, { about: [named, await deps.store.resolveAlias(named)] });
}
