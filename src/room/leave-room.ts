import type { LeaveReason } from "../core/event.ts";
import type { RoomId } from "../core/ids.ts";
import { isRefusal } from "../core/refusal.ts";
import { changeRoom } from "../engine/commit.ts";
import type { Deps } from "../engine/deps.ts";
import { operation } from "../engine/operation.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { leaveRoom as decideLeave } from "./rules/leave.ts";

export const leaveRoom = operation({
  name: "leave_room",
  summary: "Leaves the room. If you hold the stick, you give it up.",
  needs: { store: "change", caller: "known", room: "existing" },
  input: {},
  refusals: ["unknown_member"],
  mcp: "gateway",
  async run({ deps, caller, roomId }, _input, { turns }) {
    const left = await leave(deps, caller, roomId, "left");
    if (!isRefusal(left)) turns?.over(caller, roomId);
    return left;
  },
});

export function leave(
  deps: Deps,
  caller: Caller,
  roomId: RoomId,
  reason: Extract<LeaveReason, "left" | "session_ended">,
) {
  return changeRoom(deps, caller, { roomId }, ({ room }, given) => decideLeave(room, given, reason));
}
