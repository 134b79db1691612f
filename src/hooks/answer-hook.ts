import type { Caller } from "../session/rules/decision-input.ts";
import { type HookDeps, type HookOutcome, type HookUseCase, SILENCE } from "./hook-deps.ts";
import { leavingQuiet } from "./leave-quiet.ts";
import { prompt } from "./prompt.ts";
import { ofKnownSession, underPresentName } from "./rotated.ts";
import type { HookCall, HookEvent } from "./rules/hook.ts";
import { sessionEnd } from "./session-end.ts";
import { sessionStart } from "./session-start.ts";
import { stop, subagentEnd, subagentStart, tool, turnBroken, wake } from "./turn.ts";

const USE_CASES: Readonly<Record<HookEvent, HookUseCase>> = {
  "session-start": sessionStart,
  prompt,
  "pre-tool": tool,
  "post-tool": tool,
  "own-tool": async () => SILENCE,
  "subagent-start": subagentStart,
  "subagent-end": subagentEnd,
  stop,
  "turn-broken": turnBroken,
  wake,
  "session-end": sessionEnd,
};

/** The beginning and the end of a turn: no subagent outlives it. */
const ENDS_SUBAGENTS: readonly HookEvent[] = ["prompt", "stop", "turn-broken", "session-end"];
const BEFORE_TOOLS: readonly HookEvent[] = ["pre-tool", "own-tool"];
const OF_ANY_TOOL: readonly HookEvent[] = ["pre-tool", "post-tool"];

export async function answerHook(deps: HookDeps, teller: Caller, told: HookCall): Promise<HookOutcome> {
  const { caller, call } = ofKnownSession(deps, teller, told);
  const { event, sessionId } = call;
  if (call.isSubagent) {
    if (BEFORE_TOOLS.includes(event) && call.toolUse !== undefined) deps.subagents.uses(call.toolUse);
    return SILENCE;
  }
  if (ENDS_SUBAGENTS.includes(event)) deps.subagents.forget(sessionId);
  if (OF_ANY_TOOL.includes(event) && deps.subagents.areAtWork(sessionId)) return SILENCE;
  const acting = await underPresentName(deps, caller, call);
  return leavingQuiet(deps, { caller: acting, call, told }, () => USE_CASES[event](deps, acting, call));
}
