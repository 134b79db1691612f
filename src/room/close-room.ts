import { LIMITS } from "../core/limits.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { changeRoom } from "../engine/commit.ts";
import { decodeFlag, decodeText } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { type Closed, closeRoom as decideClose } from "./rules/close.ts";

export interface CloseRoomInput {
  readonly roomId: string;
  readonly operatorRequested?: boolean;
  readonly reason?: string;
}

export async function closeRoom(deps: Deps, caller: Caller, input: CloseRoomInput): Promise<Closed | Refusal> {
  const operatorRequested = decodeFlag("operator_requested", input.operatorRequested);
  if (isRefusal(operatorRequested)) return operatorRequested;
  const reason = input.reason === undefined ? null : decodeText("reason", input.reason, LIMITS.reasonCharacters);
  if (isRefusal(reason)) return reason;
  return changeRoom(deps, caller, input, ({ room }, given) => decideClose(room, given, { operatorRequested, reason }));
}
