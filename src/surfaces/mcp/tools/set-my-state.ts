import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { roomId } from "../fields.ts";
import { tool } from "../tool.ts";

export const setMyState = tool({
  name: "set_my_state",
  description:
    "Your state card: what you are doing in at most 200 characters, the files it concerns, what you wait for. It saves others from reading your transcript; renew it when your work changes.",
  input: z.strictObject({
    purpose: z.string(),
    files: z.array(z.string()).optional(),
    blocked_on: z.string().optional(),
    room_id: roomId,
  }),
  async run(call, { purpose, files, blocked_on: blockedOn, room_id }) {
    const acting = await call.acting(room_id);
    if (isRefusal(acting)) return acting;
    const { stick, roomId: room } = acting;
    return stick.setMyState({
      roomId: room,
      purpose,
      ...(files && { files }),
      ...(blockedOn !== undefined && { blockedOn }),
    });
  },
});
