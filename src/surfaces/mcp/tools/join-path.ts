import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { tool } from "../tool.ts";

export const joinPath = tool({
  name: "join_path",
  description:
    "Joins the room of a directory (default: the project's), or makes it. Other calls join by themselves; call this to see who is here, or with force_new for a room of its own below.",
  input: z.strictObject({ context_path: z.string().optional(), force_new: z.boolean().optional() }),
  async run(call, { context_path = call.directory, force_new = false }) {
    const session = await call.session();
    if (isRefusal(session)) return session;
    const joined = await session.stick.joinPath({ contextPath: context_path, forceNew: force_new });
    if (!isRefusal(joined)) call.hasJoined(session.deps, joined.roomId);
    return joined;
  },
});
