import type { Caller } from "../domain/given.ts";
import { isRefusal, type Refusal } from "../domain/refusal.ts";
import { heartbeat as decideHeartbeat, type HeartbeatAnswer } from "../domain/stick/heartbeat.ts";
import { changeRoom } from "./change-room.ts";
import { decodeToken, type TokenInput } from "./decode.ts";
import type { Deps } from "./deps.ts";
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
