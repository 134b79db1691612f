import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { ignoringFaults } from "../../../engine/ignoring-faults.ts";
import { OBSERVER } from "../../../engine/observer.ts";
import { getRoomState as getState } from "../../../room/get-room-state.ts";

import { roomId } from "../fields.ts";
import { tool } from "../tool.ts";

export const getRoomState = tool({
  name: "get_room_state",
  description: "The room now: state, holder, queue, members with their state cards, and the attached handoff.",
  reads: true,
  input: z.strictObject({ room_id: roomId }),
  async run(call, input) {
    const found = await call.room(input.room_id);
    if (isRefusal(found)) return found;
    // Only a caller that is known can be told what it lost here; everybody may look.
    await ignoringFaults(async () => {
      await call.session("read");
      return null;
    });
    return getState(found.deps, OBSERVER, { roomId: found.room.id });
  },
});
