/**
 * Hooks of Gemini CLI. What a hook adds before a tool is ignored, so mail comes after tools. A turn goes on if the hook
 * after it denies its end; the reason becomes the next prompt. Long texts are not cut.
 *
 * It has no names for turns. If its user presses Esc, it removes the turn from the conversation, with everything that
 * was shown in it. The hook after the turn runs anyway, with the part of the answer that there was. Only the transcript
 * tells whether the answer was complete, and what is still in the conversation. If the user stops a tool, the turn ends
 * without that hook.
 *
 * It changes the id of its session silently when it falls back to another model, and when its user changes to an
 * earlier session. In the first case the transcript stays the same.
 *
 * A subagent's tools run the same hooks with its parent's session id, and no payload names the subagent. Only the tool
 * that runs a subagent shows when one is at work.
 */

import { jsonText } from "../../core/visible.ts";
import type { HookCall } from "../../hooks/rules/hook.ts";
import type { HookDialect, HookPayload } from "../contract.ts";
import { attemptWith, commonCall, type EventNames, usualAnswer } from "../hook-dialect.ts";
import { objectIn, textIn } from "../records.ts";
import { lastTurn } from "./last-turn.ts";
import { WRITING_TOOLS } from "./tools.ts";

const MOST_CHARACTERS = 60_000;

const NAMES: EventNames = {
  "session-start": "SessionStart",
  prompt: "BeforeAgent",
  "post-tool": "AfterTool",
  "subagent-end": "AfterTool",
};

const CANCELLED = /^Command cancelled by user/;

export const hooks: HookDialect = {
  sessionVariable: { name: "GEMINI_SESSION_ID", mayRotate: true },
  parse(event, payload) {
    const shows = event === "stop" || NAMES[event] !== undefined;
    const call = commonCall("gemini", event, payload, shows ? MOST_CHARACTERS : 0);
    return call && { ...asToldBy(payload, call), mayRotate: true };
  },
  inspect(call) {
    if (call.event !== "stop" || call.transcriptPath === null) return call;
    const told = lastTurn(call.transcriptPath);
    // If the transcript does not say, the next prompt settles the mail.
    if (told === null) return call;
    const event = told.isAnswered ? "went_on" : "broke_off";
    return { ...call, sign: { event, turn: null, quotes: told.conversation } };
  },
  render: usualAnswer(NAMES, "deny"),
  attemptIn: attemptWith(WRITING_TOOLS),
  renderDenial: (reason) => jsonText({ decision: "deny", reason }),
};

function asToldBy(payload: HookPayload, call: HookCall): HookCall {
  const { event } = call;
  if (event === "prompt") {
    return { ...call, sign: { event: "prompted", turn: null, quotes: textIn(payload["prompt"]) ?? "" } };
  }
  if (event !== "stop" && event !== "post-tool") return call;
  if (event === "post-tool" && isCancelled(payload)) {
    return { ...call, event: "turn-broken", maxCharacters: 0, sign: { event: "broke_off", turn: null } };
  }
  return { ...call, sign: { event: "no_sign", turn: null } };
}

function isCancelled(payload: HookPayload): boolean {
  return CANCELLED.test(textIn(objectIn(payload["tool_response"])["returnDisplay"]) ?? "");
}
