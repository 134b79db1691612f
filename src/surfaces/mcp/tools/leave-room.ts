import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { roomId } from "../fields.ts";
import { tool } from "../tool.ts";

export const leaveRoom = tool({
  name: "leave_room",
  description: "Leaves the room. A stick you hold is freed.",
  input: z.strictObject({ room_id: roomId }),
  async run(call, input) {
    const acting = await call.actingInside(input.room_id);
    if (isRefusal(acting)) return acting;
    const answer = await acting.stick.leaveRoom({ roomId: acting.roomId });
    if (!isRefusal(answer)) call.keeper.forget(acting.caller, acting.roomId);
    return answer;
  },
});
