import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { OBSERVER } from "../../../engine/observer.ts";
import { listRooms as list } from "../../../room/list-rooms.ts";
import { tool } from "../tool.ts";

export const listRooms = tool({
  name: "list_rooms",
  description: "Lists the rooms of this project, or those around a path: who holds the stick in each.",
  reads: true,
  input: z.strictObject({ context_path: z.string().optional() }),
  async run(call, { context_path = call.directory }) {
    const deps = await call.deps();
    return isRefusal(deps) ? deps : list(deps, OBSERVER, { contextPath: context_path });
  },
});
