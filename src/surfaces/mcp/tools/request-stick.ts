import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { roomId } from "../fields.ts";
import { tool } from "../tool.ts";

export const requestStick = tool({
  name: "request_stick",
  description:
    "Asks whoever holds the stick for it, politely: an interrupting message that the holder answers by releasing, passing or replying.",
  input: z.strictObject({ room_id: roomId, why: z.string(), needs: z.string().optional() }),
  async run(call, input) {
    const acting = await call.actingInside(input.room_id);
    if (isRefusal(acting)) return acting;
    const { why, needs } = input;
    return acting.stick.requestStick({ roomId: acting.roomId, why, ...(needs === undefined ? {} : { needs }) });
  },
});
