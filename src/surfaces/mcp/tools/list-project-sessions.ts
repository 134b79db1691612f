import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { listProjectSessions as list } from "../../../peers/list-project-sessions.ts";
import { tool } from "../tool.ts";

export const listProjectSessions = tool({
  name: "list_project_sessions",
  description:
    "The sessions in this project, yours among them: who they are, what their state cards say, busy or idle, who holds the stick, who can be reached now, how much mail waits for them.",
  reads: true,
  input: z.strictObject({ compact: z.boolean().optional() }),
  async run(call, { compact = false }) {
    const deps = await call.deps();
    return isRefusal(deps) ? deps : list(deps, { contextPath: call.directory, compact });
  },
});
