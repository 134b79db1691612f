import * as z from "zod";
import { withCamelKeys } from "../../../core/letter-case.ts";
import { isRefusal } from "../../../core/refusal.ts";
import { handoff, roomId, turn } from "../fields.ts";
import { tool } from "../tool.ts";

export const passStick = tool({
  name: "pass_stick",
  description: "Hands the stick to one member that is waiting or receiving, with a handoff.",
  input: z.strictObject({ room_id: roomId, ...turn, to_agent_id: z.string(), handoff }),
  async run(call, input) {
    const acting = await call.actingInside(input.room_id);
    if (isRefusal(acting)) return acting;
    const { lease_id: leaseId, expected_turn_id: expectedTurnId, to_agent_id: toAgentId } = input;
    const answer = await acting.stick.passStick({
      roomId: acting.roomId,
      leaseId,
      expectedTurnId,
      toAgentId,
      handoff: withCamelKeys(input.handoff),
    });
    if (!isRefusal(answer)) call.keeper.forget(acting.caller, acting.roomId);
    return answer;
  },
});
