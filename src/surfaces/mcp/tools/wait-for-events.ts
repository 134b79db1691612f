import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { waitForEvents as wait } from "../../../room/events.ts";
import { roomId } from "../fields.ts";
import { tool } from "../tool.ts";

export const waitForEvents = tool({
  name: "wait_for_events",
  description:
    "Watches the log without taking part: returns the first events after the cursor that match. target self (default) is what concerns you, any is all.",
  reads: true,
  input: z.strictObject({
    room_id: roomId,
    after_event_seq: z.number().int().optional(),
    event_type: z.union([z.string(), z.array(z.string())]).optional(),
    target_agent_id: z.string().optional(),
    from_agent_id: z.string().optional(),
    max_wait_ms: z.number().int().optional(),
  }),
  async run(call, input) {
    const found = await call.room(input.room_id);
    if (isRefusal(found)) return found;
    const session = await call.session("read");
    const { after_event_seq: after, event_type: types, target_agent_id: target, from_agent_id: from } = input;
    return wait(found.deps, isRefusal(session) ? null : session.caller, {
      roomId: found.room.id,
      maxWaitMs: call.waitMs(input.max_wait_ms ?? found.room.policy.waitMaxMs),
      signal: call.signal,
      ...(after === undefined ? {} : { afterEventSeq: after }),
      ...(types === undefined ? {} : { eventTypes: [types].flat() }),
      ...(target === undefined ? {} : { targetAgentId: target }),
      ...(from === undefined ? {} : { fromAgentId: from }),
    });
  },
});
