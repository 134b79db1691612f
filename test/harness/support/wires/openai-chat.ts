/** The Chat Completions interface, as far as OpenCode uses it. */
import type { Turn } from "../script.ts";
import { freshId, offersTools, textIn, type Wire } from "./wire.ts";

interface Message {
  readonly role: string;
  readonly content: unknown;
}

export const openaiChat: Wire = {
  path: /^\/v1\/chat\/completions$/,
  turnsOf(body) {
    if (!offersTools(body)) return [];
    const messages = (body["messages"] ?? []) as readonly Message[];
    return messages.flatMap(({ role, content }): Turn[] => {
      if (role === "tool") return [{ kind: "result", text: textIn(content) }];
      return role === "user" ? [{ kind: "prompt", text: textIn(content) }] : [];
    });
  },
  eventsOf(model, { text, tool, input = {} }) {
    const base = { id: freshId("chatcmpl"), object: "chat.completion.chunk", created: 0, model };
    const chunk = (delta: object, finish: string | null = null) => ({
      ...base,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const call = { index: 0, id: freshId("call"), type: "function" };
    const said =
      tool === undefined
        ? { content: text ?? "" }
        : { tool_calls: [{ ...call, function: { name: tool, arguments: JSON.stringify(input) } }] };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    return [
      [null, chunk({ role: "assistant", content: "" })],
      [null, chunk(said)],
      [null, { ...chunk({}, tool === undefined ? "stop" : "tool_calls"), usage }],
      [null, "[DONE]"],
    ];
  },
};
