import * as z from "zod";
import { isRefusal } from "../../../core/refusal.ts";
import { registerMySession as register } from "../../../room/register-my-session.ts";
import { claimChecks } from "../../../session/claim-checks.ts";
import { tool } from "../tool.ts";

const flag = z.boolean().optional();

export const registerMySession = tool({
  name: "register_my_session",
  description:
    "Says which session of your harness you are, like claim_session, joins the project's room, and says what your mailbox cannot do. With reply_to false, an ask takes your next message for the answer.",
  input: z.strictObject({
    session_id: z.string(),
    capabilities: z
      .object({ mailbox: z.object({ reply_to: flag, provenance: flag, push_budget: flag }).optional() })
      .optional(),
  }),
  async run(call, { session_id: sessionId, capabilities }) {
    const deps = await call.deps();
    if (isRefusal(deps)) return deps;
    const identification = await call.identification();
    if (isRefusal(identification)) return identification;
    const claimDeps = { ...call.claimDeps, ...claimChecks(deps, call.directory) };
    const mailbox = Object.entries(capabilities?.mailbox ?? {}).filter(([, value]) => value !== undefined);
    const given = { mailbox: Object.fromEntries(mailbox) };
    return register(deps, claimDeps, identification, { sessionId, contextPath: call.directory, capabilities: given });
  },
});
