import { asRoomId } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { changeRoom } from "../engine/commit.ts";
import { decodeFlag, decodeId, decodeInteger, decodeText } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { takeoverStick as decideTakeover, type TakenOver } from "./rules/takeover.ts";

export interface TakeoverStickInput {
  readonly roomId: string;
  readonly expectedTurnId: number;
  readonly reason: string;
  readonly operatorRequested?: boolean;
}

export async function takeoverStick(
  deps: Deps,
  caller: Caller,
  input: TakeoverStickInput,
): Promise<TakenOver | Refusal> {
  const expectedTurnId = decodeInteger("expected_turn_id", input.expectedTurnId, {
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  });
  if (isRefusal(expectedTurnId)) return expectedTurnId;
  const reason = decodeText("reason", input.reason, LIMITS.reasonCharacters);
  if (isRefusal(reason)) return reason;
  const operatorRequested = decodeFlag("operator_requested", input.operatorRequested);
  if (isRefusal(operatorRequested)) return operatorRequested;
  const roomId = decodeId("room_id", input.roomId);
  if (isRefusal(roomId)) return roomId;
  const snapshot = await deps.store.readRoom(asRoomId(roomId));
  const gitHead = snapshot && deps.workingTree.head(snapshot.room.path);
  const command = { expectedTurnId, reason, operatorRequested, gitHead };
  return changeRoom(deps, caller, input, ({ room, handles }, given) => decideTakeover(room, given, handles, command));
}
