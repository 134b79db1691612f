import type { Caller } from "../domain/given.ts";
import { LIMITS } from "../domain/limits.ts";
import { isRefusal, type Refusal } from "../domain/refusal.ts";
import { type Closed, closeRoom as decideClose } from "../domain/room/close.ts";
import { changeRoom } from "./change-room.ts";
import { decodeFlag, decodeText } from "./decode.ts";
import type { Deps } from "./deps.ts";

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
