/** The Responses interface, as far as Codex uses it. */
import { callsIn, type Turn } from "../script.ts";
import { type Body, freshId, offersTools, textIn, type Wire } from "./wire.ts";

export const openaiResponses: Wire = {
  path: /^\/v1\/responses$/,
  turnsOf(body) {
    if (!offersTools(body)) return [];
    const items = (Array.isArray(body["input"]) ? body["input"] : []) as readonly Body[];
    return items.flatMap((item): Turn[] => {
      if (item["type"] === "function_call_output") return [{ kind: "result", text: textIn(item["output"]) }];
      return item["role"] === "user" ? [{ kind: "prompt", text: textIn(item["content"]) }] : [];
    });
  },
  eventsOf(model, step) {
    const said = {
      type: "message",
      id: freshId("msg"),
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: step.text ?? "", annotations: [] }],
    };
    const called = callsIn(step).map(({ tool, namespace, input = {} }) => ({
      type: "function_call",
      id: freshId("fc"),
      call_id: freshId("call"),
      name: tool,
      ...(namespace === undefined ? {} : { namespace }),
      arguments: JSON.stringify(input),
      status: "completed",
    }));
    const output = called.length === 0 ? [said] : called;
    const usage = {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    };
    const response = { id: freshId("resp"), object: "response", created_at: 0, model };
    return [
      ["response.created", { response: { ...response, status: "in_progress", output: [], usage: null } }],
      ...output.flatMap((item, index) => [
        ["response.output_item.added", { output_index: index, item: { ...item, status: "in_progress" } }] as const,
        ["response.output_item.done", { output_index: index, item }] as const,
      ]),
      ["response.completed", { response: { ...response, status: "completed", output, usage } }],
    ];
  },
};
