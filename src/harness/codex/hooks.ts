/**
 * Hooks of Codex, which has taken over most shapes of Claude Code. What is added reaches the model as the developer's
 * words; of more than 10 000 characters the middle is cut out. The reason to go on comes as a user's item. Every event of
 * one turn has the same `turn_id`. A turn that ends without an answer has no last message.
 */

import type { HookDialect } from "../contract.ts";
import { attemptWith, commonCall, type EventNames, usualAnswer, usualDenial } from "../hook-dialect.ts";
import { textIn } from "../records.ts";
import { WRITING_TOOLS } from "./tools.ts";

const TURN_FIELD = "turn_id";
const MOST_CHARACTERS = 9900;

const NAMES: EventNames = {
  "session-start": "SessionStart",
  prompt: "UserPromptSubmit",
  "pre-tool": "PreToolUse",
};

export const hooks: HookDialect = {
  turnField: TURN_FIELD,
  parse(event, payload) {
    const shows = event === "stop" || NAMES[event] !== undefined;
    const call = commonCall("codex", event, payload, shows ? MOST_CHARACTERS : 0);
    if (!call) return null;
    const isUnanswered = event === "stop" && !textIn(payload["last_assistant_message"]);
    const told = isUnanswered ? ("broke_off" as const) : call.sign.event;
    return { ...call, sign: { event: told, turn: textIn(payload[TURN_FIELD]) } };
  },
  render: usualAnswer(NAMES, "block"),
  attemptIn: attemptWith(WRITING_TOOLS),
  renderDenial: usualDenial,
};
