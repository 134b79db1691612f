import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { roomId, turn } from "../fields.ts";
import { tool } from "../tool.ts";

export const heartbeat = tool({
  name: "heartbeat",
  description: "Renews the lease of the turn you hold. Other calls do so by themselves.",
  input: z.strictObject({ room_id: roomId, ...turn }),
  async run(call, input) {
    const acting = await call.actingInside(input.room_id);
    if (isRefusal(acting)) return acting;
    const { lease_id: leaseId, expected_turn_id: expectedTurnId } = input;
    return acting.stick.heartbeat({ roomId: acting.roomId, leaseId, expectedTurnId });
  },
});
