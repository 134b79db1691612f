import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { roomId } from "../fields.ts";
import { tool } from "../tool.ts";

export const kickMember = tool({
  name: "kick_member",
  description: "Removes a member that is proven gone. force, against a live one, is for a person at the command line.",
  input: z.strictObject({
    room_id: roomId,
    target_agent_id: z.string(),
    force: z.boolean().optional(),
    reason: z.string().optional(),
  }),
  async run(call, input) {
    const acting = await call.actingInside(input.room_id);
    if (isRefusal(acting)) return acting;
    const { target_agent_id: targetAgentId, force, reason } = input;
    return acting.stick.kickMember({
      roomId: acting.roomId,
      targetAgentId,
      ...(force === undefined ? {} : { force }),
      ...(reason === undefined ? {} : { reason }),
    });
  },
});
