import * as z from "zod";
import { withCamelKeys } from "../../../core/letter-case.ts";
import { isRefusal } from "../../../core/refusal.ts";
import { handoff, roomId, turn } from "../fields.ts";
import { tool } from "../tool.ts";

export const releaseStick = tool({
  name: "release_stick",
  description:
    "Ends your turn with a handoff for whoever is next: status is what is true now, next_action what comes next.",
  input: z.strictObject({ room_id: roomId, ...turn, handoff }),
  async run(call, input) {
    const acting = await call.actingInside(input.room_id);
    if (isRefusal(acting)) return acting;
    const { lease_id: leaseId, expected_turn_id: expectedTurnId } = input;
    const answer = await acting.stick.releaseStick({
      roomId: acting.roomId,
      leaseId,
      expectedTurnId,
      handoff: withCamelKeys(input.handoff),
    });
    if (!isRefusal(answer)) call.keeper.forget(acting.caller, acting.roomId);
    return answer;
  },
});
