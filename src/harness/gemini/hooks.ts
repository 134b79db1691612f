/**
 * Hooks of Gemini CLI. What a hook adds before a tool is ignored, so mail comes after tools. A turn goes on when the
 * hook after it denies its end, with the reason as the next prompt. Long texts pass whole.
 *
 * A subagent's tools run the same hooks with its parent's session id, and no payload names it. Only the tool that runs
 * it shows when one is at work.
 */

import type { HookEvent } from "../../domain/hooks/hook.ts";
import { jsonText } from "../../domain/json-text.ts";
import { commonCall, type HookDialect, injection } from "../hook-dialect.ts";

const MOST_CHARACTERS = 60_000;

const NAMES: Readonly<Partial<Record<HookEvent, string>>> = {
  "session-start": "SessionStart",
  prompt: "BeforeAgent",
  "post-tool": "AfterTool",
  "subagent-end": "AfterTool",
};

export const geminiHooks: HookDialect = {
  parse(event, payload) {
    const shows = event === "stop" || NAMES[event] !== undefined;
    return commonCall("gemini", event, payload, shows ? MOST_CHARACTERS : 0);
  },
  render(event, { context = "", goOn = "" }) {
    if (event === "stop") return goOn === "" ? "" : jsonText({ decision: "deny", reason: goOn });
    const name = NAMES[event];
    return name === undefined || context === "" ? "" : injection(name, context);
  },
};
