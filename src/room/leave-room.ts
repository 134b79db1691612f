import { isRefusal, type Refusal } from "../core/refusal.ts";
import { changeRoom } from "../engine/commit.ts";
import { decodeChoice } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { leaveRoom as decideLeave, type Left } from "./rules/leave.ts";

export interface LeaveRoomInput {
  readonly roomId: string;
  readonly reason?: "left" | "session_ended";
}

export async function leaveRoom(deps: Deps, caller: Caller, input: LeaveRoomInput): Promise<Left | Refusal> {
  const reason = decodeChoice("reason", input.reason ?? "left", ["left", "session_ended"]);
  if (isRefusal(reason)) return reason;
  return changeRoom(deps, caller, input, ({ room }, given) => decideLeave(room, given, reason));
}
