import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { listNotes as list } from "../../../room/notes.ts";
import { roomId } from "../fields.ts";
import { tool } from "../tool.ts";

export const listNotes = tool({
  name: "list_notes",
  description:
    "The room's newest notes, at most 200, oldest first. has_more: older ones come with before_note_id, the first one's id.",
  reads: true,
  input: z.strictObject({
    room_id: roomId,
    limit: z.number().int().optional(),
    unresolved_only: z.boolean().optional(),
    before_note_id: z.string().optional(),
  }),
  async run(call, input) {
    const found = await call.room(input.room_id);
    if (isRefusal(found)) return found;
    const { limit, unresolved_only: unresolvedOnly = false, before_note_id: beforeNoteId } = input;
    return list(found.deps, {
      roomId: found.room.id,
      unresolvedOnly,
      ...(limit === undefined ? {} : { limit }),
      ...(beforeNoteId === undefined ? {} : { beforeNoteId }),
    });
  },
});
