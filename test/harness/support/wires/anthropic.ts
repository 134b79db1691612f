/** The Messages interface, as far as Claude Code uses it. */
import type { Turn } from "../script.ts";
import { type Body, freshId, offersTools, textIn, type Wire } from "./wire.ts";

interface Message {
  readonly role: string;
  readonly content: string | readonly Body[];
}

export const anthropic: Wire = {
  path: /^\/v1\/messages$/,
  turnsOf(body) {
    if (!offersTools(body)) return [];
    const messages = (body["messages"] ?? []) as readonly Message[];
    return messages.flatMap(({ role, content }) => {
      if (role === "assistant") return [];
      const blocks: readonly Body[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
      return blocks.flatMap((block): Turn[] => {
        if (block["type"] === "tool_result") return [{ kind: "result", text: textIn(block["content"]) }];
        return role === "user" && block["type"] === "text" ? [{ kind: "prompt", text: String(block["text"]) }] : [];
      });
    });
  },
  eventsOf(model, { text, tool, input = {} }) {
    const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const base = { id: freshId("msg"), type: "message", role: "assistant", model, stop_sequence: null, usage };
    const stopReason = tool === undefined ? "end_turn" : "tool_use";
    const block =
      tool === undefined
        ? { start: { type: "text", text: "" }, delta: { type: "text_delta", text: text ?? "" } }
        : {
            start: { type: "tool_use", id: freshId("toolu"), name: tool, input: {} },
            delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
          };
    return [
      ["message_start", { message: { ...base, content: [], stop_reason: null } }],
      ["content_block_start", { index: 0, content_block: block.start }],
      ["content_block_delta", { index: 0, delta: block.delta }],
      ["content_block_stop", { index: 0 }],
      ["message_delta", { delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 1 } }],
      ["message_stop", {}],
    ];
  },
};
