import { isRefusal, type Refusal } from "../core/refusal.ts";
import { changeRoom } from "../engine/commit.ts";
import { decodeToken, type TokenInput } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { heartbeat as decideHeartbeat, type HeartbeatAnswer } from "./rules/heartbeat.ts";
import { withTurnEnd } from "./turn-ends.ts";

export interface HeartbeatInput extends TokenInput {
  readonly roomId: string;
}

/** The holder says that it is still there; its lease starts anew. */
export async function heartbeat(deps: Deps, caller: Caller, input: HeartbeatInput): Promise<HeartbeatAnswer | Refusal> {
  const token = decodeToken(input);
  if (isRefusal(token)) return token;
  const answer = await changeRoom(deps, caller, input, ({ room }, given) => decideHeartbeat(room, given, token), {
    expectsEvents: false,
  });
  return withTurnEnd(deps, caller, { roomId: input.roomId, ...token }, answer);
}
