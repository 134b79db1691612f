import type { Caller } from "../../domain/given.ts";
import type { HookCall, HookEvent } from "../../domain/hooks/hook.ts";
import { type HookDeps, type HookOutcome, type HookUseCase, SILENCE } from "./hook-deps.ts";
import { prompt } from "./prompt.ts";
import { sessionEnd } from "./session-end.ts";
import { sessionStart } from "./session-start.ts";
import { stop } from "./stop.ts";
import { tool } from "./tool.ts";
import { wake } from "./wake.ts";

const USE_CASES: Readonly<Record<HookEvent, HookUseCase>> = {
  "session-start": sessionStart,
  prompt,
  "pre-tool": tool,
  "post-tool": tool,
  stop,
  wake,
  "session-end": sessionEnd,
};

/** A session that goes by another name now, because it was merged, is answered under that one. */
export async function answerHook(deps: HookDeps, caller: Caller, call: HookCall): Promise<HookOutcome> {
  if (call.isSubagent) return SILENCE;
  const agentId = await deps.store.resolveAlias(caller.agentId);
  return USE_CASES[call.event](deps, { ...caller, agentId }, call);
}
