/** The Responses interface, as far as Codex uses it. */
import { callsIn, type ModelStep, type ModelTurn } from "../script.ts";
import { offersTools, type RequestBody, textIn, type Wire } from "./wire.ts";

const RESULTS = new Set<unknown>(["function_call_output", "custom_tool_call_output"]);

export const openaiResponses: Wire = {
  path: /^\/v1\/responses$/,
  turnsOf(body) {
    if (!offersTools(body)) return [];
    const items = (Array.isArray(body["input"]) ? body["input"] : []) as readonly RequestBody[];
    return items.flatMap((item): ModelTurn[] => {
      if (RESULTS.has(item["type"])) return [{ kind: "result", text: textIn(item["output"]) }];
      return item["role"] === "user" ? [{ kind: "prompt", text: textIn(item["content"]) }] : [];
    });
  },
  eventsOf({ model, step, id }) {
    const said = {
      type: "message",
      id: `msg_${id}`,
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: step.text ?? "", annotations: [] }],
    };
    const called = callsIn(step).map((call, index) => calledTool(call, `${id}_${index}`));
    const output = called.length === 0 ? [said] : called;
    const usage = {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    };
    const response = { id: `resp_${id}`, object: "response", created_at: 0, model };
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

/** A tool that takes a text instead of JSON is called in another form. */
function calledTool({ tool, namespace, input = {} }: ModelStep, id: string) {
  const call = {
    call_id: `call_${id}`,
    name: tool,
    ...(namespace !== undefined && { namespace }),
    status: "completed",
  };
  return typeof input === "string"
    ? { type: "custom_tool_call", id: `ctc_${id}`, ...call, input }
    : { type: "function_call", id: `fc_${id}`, ...call, arguments: JSON.stringify(input) };
}
