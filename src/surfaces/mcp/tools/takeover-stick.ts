import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { roomId } from "../fields.ts";
import { tool } from "../tool.ts";

export const takeoverStick = tool({
  name: "takeover_stick",
  description:
    "Takes the stick from a holder that is gone or whose lease ran out, after takeover_available. Needs a reason; the old handoff comes with it.",
  input: z.strictObject({ room_id: roomId, expected_turn_id: z.number().int(), reason: z.string() }),
  async run(call, input) {
    const acting = await call.actingInside(input.room_id);
    if (isRefusal(acting)) return acting;
    const { deps, caller, roomId: id } = acting;
    const { expected_turn_id: expectedTurnId, reason } = input;
    const answer = await acting.stick.takeoverStick({ roomId: id, expectedTurnId, reason });
    if (!isRefusal(answer)) {
      await call.keeper.keep(deps, { caller, roomId: id, leaseId: answer.leaseId, turnId: answer.turnId });
    }
    return answer;
  },
});
