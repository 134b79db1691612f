/** The Messages interface, as far as Claude Code uses it. */
import { callsIn, type ModelTurn } from "../script.ts";
import { offersTools, type RequestBody, textIn, type Wire } from "./wire.ts";

interface Message {
  readonly role: string;
  readonly content: string | readonly RequestBody[];
}

export const anthropic: Wire = {
  path: /^\/v1\/messages$/,
  turnsOf(body) {
    if (!offersTools(body)) return [];
    const messages = (body["messages"] ?? []) as readonly Message[];
    return messages.flatMap(({ role, content }) => {
      if (role === "assistant") return [];
      const blocks: readonly RequestBody[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
      return blocks.flatMap((block): ModelTurn[] => {
        if (block["type"] === "tool_result") return [{ kind: "result", text: textIn(block["content"]) }];
        return role === "user" && block["type"] === "text" ? [{ kind: "prompt", text: String(block["text"]) }] : [];
      });
    });
  },
  eventsOf({ model, step, id }) {
    const calls = callsIn(step);
    const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const base = { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null, usage };
    const stopReason = calls.length === 0 ? "end_turn" : "tool_use";
    const said = { start: { type: "text", text: "" }, delta: { type: "text_delta", text: step.text ?? "" } };
    const called = calls.map(({ tool, input = {} }, index) => ({
      start: { type: "tool_use", id: `toolu_${id}_${index}`, name: tool, input: {} },
      delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
    }));
    const blocks = called.length === 0 ? [said] : called;
    return [
      ["message_start", { message: { ...base, content: [], stop_reason: null } }],
      ...blocks.flatMap(({ start, delta }, index) => [
        ["content_block_start", { index, content_block: start }] as const,
        ["content_block_delta", { index, delta }] as const,
        ["content_block_stop", { index }] as const,
      ]),
      ["message_delta", { delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 1 } }],
      ["message_stop", {}],
    ];
  },
};
