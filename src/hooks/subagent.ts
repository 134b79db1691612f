/**
 * A subagent begins or ends, where only the tool that runs it shows that. Its parent waits for it, so the tools that are
 * used in between are the subagent's, and nothing is shown to them.
 */
import { type HookUseCase, SILENCE } from "./hook-deps.ts";
import { tool } from "./tool.ts";

export const subagentStart: HookUseCase = async ({ subagents }, _, { sessionId }) => {
  subagents.began(sessionId);
  return SILENCE;
};

/** What waits comes with what the subagent has told its parent, unless another one is still at work. */
export const subagentEnd: HookUseCase = async (deps, caller, call) => {
  const { subagents } = deps;
  subagents.ended(call.sessionId);
  return subagents.areAtWork(call.sessionId) ? SILENCE : tool(deps, caller, call);
};
