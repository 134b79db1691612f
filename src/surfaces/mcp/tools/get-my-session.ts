import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { getMySession as get } from "../../../session/get-my-session.ts";
import { tool } from "../tool.ts";

export const getMySession = tool({
  name: "get_my_session",
  description: "Who you are here, and what every kind of evidence said about it.",
  reads: true,
  input: z.strictObject({}),
  async run(call) {
    const deps = await call.deps();
    if (isRefusal(deps)) return deps;
    const identification = await call.identification();
    if (isRefusal(identification)) return identification;
    return get(deps, identification, { contextPath: call.directory, explain: true });
  },
});
