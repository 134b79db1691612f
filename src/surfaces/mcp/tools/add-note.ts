import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { roomId } from "../fields.ts";
import { tool } from "../tool.ts";

export const addNote = tool({
  name: "add_note",
  description: "Writes down what must outlive the talk: a decision, a finding, a warning.",
  input: z.strictObject({ room_id: roomId, body: z.string(), turn_id: z.number().int().optional() }),
  async run(call, input) {
    const acting = await call.acting(input.room_id);
    if (isRefusal(acting)) return acting;
    const { body, turn_id: turnId = null } = input;
    return acting.stick.addNote({ roomId: acting.roomId, body, turnId });
  },
});
