import { anthropic } from "../../../../src/prove/rules/wires/anthropic.ts";
import { gemini } from "../../../../src/prove/rules/wires/gemini.ts";
import { openaiChat } from "../../../../src/prove/rules/wires/openai-chat.ts";
import { openaiResponses } from "../../../../src/prove/rules/wires/openai-responses.ts";

/** By the harness that speaks it. */
export const WIRES = { claude: anthropic, codex: openaiResponses, gemini, opencode: openaiChat } as const;

export type HarnessName = keyof typeof WIRES;
