/** The Chat Completions interface, as far as OpenCode uses it. */
import { callsIn, type ModelTurn } from "../script.ts";
import { offersTools, textIn, type Wire } from "./wire.ts";

interface Message {
  readonly role: string;
  readonly content: unknown;
}

export const openaiChat: Wire = {
  path: /^\/v1\/chat\/completions$/,
  turnsOf(body) {
    if (!offersTools(body)) return [];
    const messages = (body["messages"] ?? []) as readonly Message[];
    return messages.flatMap(({ role, content }): ModelTurn[] => {
      if (role === "tool") return [{ kind: "result", text: textIn(content) }];
      return role === "user" ? [{ kind: "prompt", text: textIn(content) }] : [];
    });
  },
  eventsOf({ model, step, id }) {
    const calls = callsIn(step);
    const base = { id: `chatcmpl_${id}`, object: "chat.completion.chunk", created: 0, model };
    const chunk = (delta: object, finish: string | null = null) => ({
      ...base,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const called = calls.map(({ tool, input = {} }, index) => ({
      index,
      id: `call_${id}_${index}`,
      type: "function",
      function: { name: tool, arguments: JSON.stringify(input) },
    }));
    const said = called.length === 0 ? { content: step.text ?? "" } : { tool_calls: called };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    return [
      [null, chunk({ role: "assistant", content: "" })],
      [null, chunk(said)],
      [null, { ...chunk({}, calls.length === 0 ? "stop" : "tool_calls"), usage }],
      [null, "[DONE]"],
    ];
  },
};
