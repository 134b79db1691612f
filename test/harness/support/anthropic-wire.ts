/** The Messages interface, as far as Claude Code uses it: requests in, server-sent events out. */
import type { Step, Turn } from "./script.ts";

type Block = Readonly<Record<string, unknown>>;
type Events = readonly (readonly [name: string, data: object])[];

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

export function anthropicTurns(body: Readonly<Record<string, unknown>>): Turn[] {
  // Side requests, such as one for a title, offer no tools and follow no script.
  if (!Array.isArray(body["tools"]) || body["tools"].length === 0) return [];
  const messages = (body["messages"] ?? []) as readonly Message[];
  return messages.flatMap(({ role, content }) => {
    if (role === "assistant") return [];
    const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return blocks.flatMap((block): Turn[] => {
      if (block["type"] === "tool_result") return [{ kind: "result", text: textIn(block["content"]) }];
      return role === "user" && block["type"] === "text" ? [{ kind: "prompt", text: String(block["text"]) }] : [];
    });
  });
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return ((content ?? []) as readonly Block[]).map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
}

let answers = 0;

export function anthropicEvents(model: string, { text, tool, input = {} }: Step): Events {
  answers += 1;
  const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const base = { id: `msg_${answers}`, type: "message", role: "assistant", model, stop_sequence: null, usage };
  const stopReason = tool === undefined ? "end_turn" : "tool_use";
  const block =
    tool === undefined
      ? { start: { type: "text", text: "" }, delta: { type: "text_delta", text: text ?? "" } }
      : {
          start: { type: "tool_use", id: `toolu_${answers}`, name: tool, input: {} },
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
}
