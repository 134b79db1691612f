/** Opening the program for a script: who it is, and where it is. */
import { isWordForOthers } from "../core/agent-id.ts";
import { invalidInput, isRefusal, type Refusal } from "../core/refusal.ts";
import { decodeAgentId, decodeId } from "../engine/decode.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import type { OpenOptions } from "../surfaces/library/api.ts";
import type { Opened } from "../surfaces/library/client.ts";
import { createTalkingStick, type TalkingStick } from "../surfaces/library/talking-stick.ts";
import { openDeps } from "./open.ts";

/** The use cases for one caller; refusals are values. */
export async function openService(options: OpenOptions): Promise<TalkingStick | Refusal> {
  const opened = await openAs(options);
  return isRefusal(opened) ? opened : createTalkingStick(opened.deps, opened.caller);
}

export async function openAs(options: OpenOptions): Promise<Opened | Refusal> {
  const agentId = decodeAgentId("agent_id", options.agentId);
  if (isRefusal(agentId)) return agentId;
  if (isWordForOthers(agentId)) {
    const message = `agent_id is ${agentId}, a reserved word.`;
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
  return { deps, caller, directory: options.directory ?? process.cwd() };
}
