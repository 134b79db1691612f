/**
 * Hooks of Claude Code. What is added reaches the model as a note of the system, at each of the events below; more than
 * 10 000 characters are replaced by a preview. A turn goes on when Stop is blocked, with the reason as a user's message.
 * A subagent's hooks name it by `agent_id` and have its parent's session id.
 */

import type { HookEvent } from "../../domain/hooks/hook.ts";
import { jsonText } from "../../domain/json-text.ts";
import { commonCall, type HookDialect, injection } from "../hook-dialect.ts";

const MOST_CHARACTERS = 9900;

/** The events that can add to what the model reads, by the names they have there. */
const NAMES: Readonly<Partial<Record<HookEvent, string>>> = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "pre-tool": "PreToolUse",
  "post-tool": "PostToolUse",
};

export const claudeCodeHooks: HookDialect = {
  parse: (event, payload) => commonCall("claude", event, payload, event === "session-end" ? 0 : MOST_CHARACTERS),
  render(event, { context = "", goOn = "" }) {
    if (event === "stop") return goOn === "" ? "" : jsonText({ decision: "block", reason: goOn });
    const name = NAMES[event];
    return name === undefined || context === "" ? "" : injection(name, context);
  },
};
