import type { Caller } from "../domain/given.ts";
import { asAgentId } from "../domain/ids.ts";
import { LIMITS } from "../domain/limits.ts";
import { isRefusal, type Refusal } from "../domain/refusal.ts";
import { kickMember as decideKick, type Kicked } from "../domain/room/kick.ts";
import { presentName } from "../domain/session/alias.ts";
import { changeRoom, type Decide } from "./change-room.ts";
import { decodeAgentId, decodeText } from "./decode.ts";
import type { Deps } from "./deps.ts";

export interface KickMemberInput {
  readonly roomId: string;
  readonly targetAgentId: string;
  readonly force?: boolean;
  readonly reason?: string;
}

export async function kickMember(deps: Deps, caller: Caller, input: KickMemberInput): Promise<Kicked | Refusal> {
  const targetAgentId = decodeAgentId("target_agent_id", input.targetAgentId);
  if (isRefusal(targetAgentId)) return targetAgentId;
  const reason = input.reason === undefined ? null : decodeText("reason", input.reason, LIMITS.reasonCharacters);
  if (isRefusal(reason)) return reason;
  const command = { force: input.force ?? false, reason };
  const decide: Decide<Kicked> = ({ room, aliases }, given) =>
    decideKick(room, given, { ...command, targetAgentId: asAgentId(presentName(room, aliases, targetAgentId)) });
  const about = [targetAgentId, await deps.store.resolveAlias(targetAgentId)];
  return changeRoom(deps, caller, input, decide, about);
}
