/** How a program opens the service. It stands alone, so that no command carries the whole library. */
import { isWordForOthers } from "../core/agent-id.ts";
import { invalidInput, isRefusal, type Refusal } from "../core/refusal.ts";
import { decodeAgentId, decodeId } from "../engine/decode.ts";
import type { Environment } from "../platform/settings/environment.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { createTalkingStick, type TalkingStick } from "../surfaces/library/talking-stick.ts";
import { openDeps } from "./open.ts";

export interface OpenOptions {
  /** Who the caller is, for example `script:nightly`. Its liveness is that of this very process. */
  readonly agentId: string;
  readonly harness?: string;
  /** Where TT_DATA_DIR, TT_STORE, TT_CONFIG and the policy defaults are read from; the process's own by default. */
  readonly env?: Environment;
}

export async function openTalkingStick(options: OpenOptions): Promise<TalkingStick | Refusal> {
  const agentId = decodeAgentId("agent_id", options.agentId);
  if (isRefusal(agentId)) return agentId;
  if (isWordForOthers(agentId)) {
    const message = `agent_id is ${agentId}, a word that stands for others where somebody is named.`;
    return invalidInput("agent_id", message, "Give an id such as script:nightly.");
  }
  const harness = decodeId("harness", options.harness ?? "library");
  if (isRefusal(harness)) return harness;
  const deps = await openDeps(options.env ?? process.env);
  if (isRefusal(deps)) return deps;
  const caller: Caller = {
    agentId,
    harness,
    isPerson: false,
    process: deps.probe.self(),
    sessionId: null,
    formerId: null,
    tmuxPane: null,
  };
  return createTalkingStick(deps, caller);
}
