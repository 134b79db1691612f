import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

/** By the harness that speaks it. */
export const WIRES = { claude: anthropic, codex: openaiResponses, gemini, opencode: openaiChat } as const;

export type HarnessName = keyof typeof WIRES;
