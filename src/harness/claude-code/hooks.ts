/**
 * Hooks of Claude Code. What is added reaches the model as a note of the system; more than 10 000 characters are replaced
 * by a preview. A subagent's hooks name it by `agent_id` and have its parent's session id.
 *
 * Every event of one turn has the same `prompt_id`, also the text that is typed into a running turn. What a hook adds
 * before a tool is dropped when that tool is rejected, so mail comes after a batch of tools. At the end of a turn,
 * `additionalContext` lets it go on and is shown once; a `block` would be shown twice, and to its user as an error.
 */

import { isSessionId } from "../../core/harness.ts";
import type { HookDialect } from "../contract.ts";
import { attemptWith, commonCall, type EventNames, usualAnswer, usualDenial } from "../hook-dialect.ts";
import { textIn } from "../records.ts";
import { WRITING_TOOLS } from "./tools.ts";

const TURN_FIELD = "prompt_id";
const MOST_CHARACTERS = 9900;
const OUR_TOOLS = "mcp__talking-stick__";

const NAMES: EventNames = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "post-tool": "PostToolBatch",
  stop: "Stop",
};

export const hooks: HookDialect = {
  turnField: TURN_FIELD,
  sessionVariable: { name: "CLAUDE_CODE_SESSION_ID" },
  parse(event, payload) {
    const call = commonCall("claude", event, payload, NAMES[event] === undefined ? 0 : MOST_CHARACTERS);
    if (!call) return null;
    const { tool_use_id: toolUse, tool_name: tool } = payload;
    const isOurs = isSessionId(toolUse) && textIn(tool)?.startsWith(OUR_TOOLS) === true;
    const sign = { ...call.sign, turn: textIn(payload[TURN_FIELD]) };
    return { ...call, sign, ...(isOurs && { toolUse }) };
  },
  render: usualAnswer(NAMES),
  attemptIn: attemptWith(WRITING_TOOLS),
  renderDenial: usualDenial,
};
