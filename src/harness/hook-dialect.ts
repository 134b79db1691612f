/**
 * The dialect of a harness's hooks: what it writes to a hook, and which shape it understands in return. Shapes do not
 * port between harnesses, and a wrong one is ignored in silence, so each was verified with the real program.
 *
 * A harness that refuses a tool for us understands yet another shape. It belongs here as a third function when the
 * first rule refuses something; until then nothing in a dialect can stop a tool.
 */

import type { HookCall, HookEvent, HookReply } from "../domain/hooks/hook.ts";
import { jsonText } from "../domain/json-text.ts";
import { isSessionId } from "../domain/session/harness.ts";
import { textIn } from "./transcript.ts";

export type HookPayload = Readonly<Record<string, unknown>>;

export interface HookDialect {
  /** Null when the payload is none that this harness writes. */
  parse(event: HookEvent, payload: HookPayload): HookCall | null;
  /** What to print; empty to say nothing. */
  render(event: HookEvent, reply: HookReply): string;
}

/** The fields that all harnesses have in common, under the same names. */
export function commonCall(
  harness: string,
  event: HookEvent,
  payload: HookPayload,
  maxCharacters: number,
): HookCall | null {
  const { session_id: sessionId, agent_id: agentId } = payload;
  if (!isSessionId(sessionId)) return null;
  return {
    harness,
    event,
    sessionId,
    transcriptPath: textIn(payload["transcript_path"]),
    cwd: textIn(payload["cwd"]),
    source: textIn(payload["source"]),
    reason: textIn(payload["reason"]),
    isSubagent: agentId !== undefined && agentId !== null && agentId !== "",
    stopHookActive: payload["stop_hook_active"] === true,
    maxCharacters,
  };
}

/** The shape in which a hook adds to what the model reads. */
export function injection(hookEventName: string, context: string): string {
  return jsonText({ hookSpecificOutput: { hookEventName, additionalContext: context } });
}
