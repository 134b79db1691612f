/** The Responses interface, as far as Codex uses it: requests in, server-sent events out. */
import type { Step, Turn } from "./script.ts";

type Item = Readonly<Record<string, unknown>>;
type Events = readonly (readonly [name: string, data: object])[];

export function openaiTurns(body: Readonly<Record<string, unknown>>): Turn[] {
  const items = (Array.isArray(body["input"]) ? body["input"] : []) as readonly Item[];
  return items.flatMap((item): Turn[] => {
    if (item["type"] === "function_call_output") return [{ kind: "result", text: textIn(item["output"]) }];
    return item["role"] === "user" ? [{ kind: "prompt", text: textIn(item["content"]) }] : [];
  });
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return ((content ?? []) as readonly Item[]).map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
}

let answers = 0;

export function openaiEvents(model: string, { text, tool, namespace, input = {} }: Step): Events {
  answers += 1;
  const item =
    tool === undefined
      ? {
          type: "message",
          id: `msg_${answers}`,
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: text ?? "", annotations: [] }],
        }
      : {
          type: "function_call",
          id: `fc_${answers}`,
          call_id: `call_${answers}`,
          name: tool,
          ...(namespace === undefined ? {} : { namespace }),
          arguments: JSON.stringify(input),
          status: "completed",
        };
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2,
  };
  const response = { id: `resp_${answers}`, object: "response", created_at: 0, model };
  return [
    ["response.created", { response: { ...response, status: "in_progress", output: [], usage: null } }],
    ["response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress" } }],
    ["response.output_item.done", { output_index: 0, item }],
    ["response.completed", { response: { ...response, status: "completed", output: [item], usage } }],
  ];
}
