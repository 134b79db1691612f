import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { getRoomEvents as getEvents } from "../../../room/events.ts";
import { roomId } from "../fields.ts";
import { tool } from "../tool.ts";

export const getRoomEvents = tool({
  name: "get_room_events",
  description: "The room's log after a cursor, or its newest events.",
  reads: true,
  input: z.strictObject({
    room_id: roomId,
    after_event_seq: z.number().int().optional(),
    limit: z.number().int().optional(),
  }),
  async run(call, input) {
    const found = await call.room(input.room_id);
    if (isRefusal(found)) return found;
    const { after_event_seq: after, limit } = input;
    return getEvents(found.deps, {
      roomId: found.room.id,
      ...(after === undefined ? {} : { afterEventSeq: after }),
      ...(limit === undefined ? {} : { limit }),
    });
  },
});
