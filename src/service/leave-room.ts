import type { Caller } from "../domain/given.ts";
import { isRefusal, type Refusal } from "../domain/refusal.ts";
import { leaveRoom as decideLeave, type Left } from "../domain/room/leave.ts";
import { changeRoom } from "./change-room.ts";
import { decodeChoice } from "./decode.ts";
import type { Deps } from "./deps.ts";

export interface LeaveRoomInput {
  readonly roomId: string;
  readonly reason?: "left" | "session_ended";
}

export async function leaveRoom(deps: Deps, caller: Caller, input: LeaveRoomInput): Promise<Left | Refusal> {
  const reason = decodeChoice("reason", input.reason ?? "left", ["left", "session_ended"]);
  if (isRefusal(reason)) return reason;
  return changeRoom(deps, caller, input, ({ room }, given) => decideLeave(room, given, reason));
}
