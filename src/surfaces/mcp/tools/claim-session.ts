import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { claimChecks } from "../../../session/claim-checks.ts";
import { claimSession as claim } from "../../../session/claim-session.ts";
import { tool } from "../tool.ts";

export const claimSession = tool({
  name: "claim_session",
  description:
    "Says which session of your harness you are, when get_my_session could not find out. It cannot contradict the harness itself.",
  input: z.strictObject({ session_id: z.string() }),
  async run(call, { session_id: sessionId }) {
    const deps = await call.deps();
    if (isRefusal(deps)) return deps;
    const identification = await call.identification();
    if (isRefusal(identification)) return identification;
    const claimDeps = { ...call.claimDeps, ...claimChecks(deps, call.directory) };
    const claimed = await claim(claimDeps, identification, { sessionId });
    // Others know the session by its claimed name from now on.
    if (!isRefusal(claimed)) await call.session();
    return claimed;
  },
});
