/** What the dialects of most harnesses have in common. */

import { isSessionId } from "../core/harness.ts";
import { jsonText } from "../core/visible.ts";
import { pathsInPatch } from "../guard/rules/attempt.ts";
import type { HookCall, HookEvent } from "../hooks/rules/hook.ts";
import type { TurnEvent } from "../mail/rules/show.ts";
import type { HookDialect, HookPayload } from "./contract.ts";
import { objectIn, textIn } from "./records.ts";

/** What each event tells of a turn, where a harness has no rule of its own. */
export const SIGNS: Readonly<Record<HookEvent, TurnEvent>> = {
  "session-start": "broke_off",
  prompt: "prompted",
  "pre-tool": "went_on",
  "post-tool": "went_on",
  "own-tool": "no_sign",
  "subagent-start": "no_sign",
  "subagent-end": "no_sign",
  stop: "went_on",
  "turn-broken": "broke_off",
  wake: "no_sign",
  "session-end": "broke_off",
};

/** The fields that all harnesses have in common, under the same names. Each has its own name for a turn, or none. */
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
    sign: { event: SIGNS[event], turn: null },
    stopHookActive: payload["stop_hook_active"] === true,
    maxCharacters,
  };
}

/** The field with the path of each tool that edits one file, and the tools that run a shell command. */
export interface WritingTools {
  readonly edits: Readonly<Record<string, string>>;
  readonly shells: readonly string[];
  /** Tools that apply a patch, with the field that holds it. */
  readonly patches?: Readonly<Record<string, string>>;
}

/** The harnesses' names for the directory in which a command runs. */
const DIRECTORY_FIELDS = ["workdir", "dir_path", "directory"];

/** Reads `tool_name` and `tool_input`, as all harnesses call them. */
export function attemptWith({ edits, shells, patches = {} }: WritingTools): HookDialect["attemptIn"] {
  return ({ tool_name: name, tool_input: given }) => {
    const tool = textIn(name) ?? "";
    const input = objectIn(given);
    const [path, patch] = [edits, patches].map((fields) =>
      Object.hasOwn(fields, tool) ? textIn(input[fields[tool] ?? ""]) : null,
    );
    if (path) return { kind: "edit", tool, paths: [path] };
    if (patch) return { kind: "edit", tool, paths: pathsInPatch(patch) };
    const command = shells.includes(tool) ? textIn(input["command"]) : null;
    if (command === null) return null;
    const directory = DIRECTORY_FIELDS.map((field) => textIn(input[field])).find((text) => text !== null);
    return { kind: "shell", tool, command, directory: directory ?? null };
  };
}

/** As Claude Code and Codex want it: a reason, no field besides, and the name of the event. */
export function usualDenial(reason: string): string {
  const denied = { permissionDecision: "deny", permissionDecisionReason: reason };
  return jsonText({ hookSpecificOutput: { hookEventName: "PreToolUse", ...denied } });
}

/** The events that can add to what the model reads, by the names that they have in the harness. */
export type EventNames = Readonly<Partial<Record<HookEvent, string>>>;

/**
 * Answers in the shape that most harnesses understand. `decision`: the word that keeps a turn from ending; without it,
 * what is added at the end of a turn lets the turn go on.
 */
export function usualAnswer(names: EventNames, decision?: "block" | "deny"): HookDialect["render"] {
  return (event, { context = "", goOn = "" }) => {
    const text = event === "stop" ? goOn : context;
    if (text === "") return "";
    if (event === "stop" && decision) return jsonText({ decision, reason: text });
    const hookEventName = names[event];
    return hookEventName ? jsonText({ hookSpecificOutput: { hookEventName, additionalContext: text } }) : "";
  };
}
