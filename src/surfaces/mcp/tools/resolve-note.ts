import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { roomId } from "../fields.ts";
import { tool } from "../tool.ts";

export const resolveNote = tool({
  name: "resolve_note",
  description: "Marks a note as done.",
  input: z.strictObject({ room_id: roomId, note_id: z.string() }),
  async run(call, input) {
    const acting = await call.actingInside(input.room_id);
    if (isRefusal(acting)) return acting;
    return acting.stick.resolveNote({ roomId: acting.roomId, noteId: input.note_id });
  },
});
