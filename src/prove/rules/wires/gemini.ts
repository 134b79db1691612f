/** The generateContent interface, as far as Gemini CLI uses it. */
import { callsIn, type ModelTurn } from "../script.ts";
import { type RequestBody, textIn, type Wire } from "./wire.ts";

interface Content {
  readonly role: string;
  readonly parts?: readonly RequestBody[];
}

/** A summary is kept only if it is shorter than the conversation, by this count. */
const TOKENS = 100_000;

export const gemini: Wire = {
  path: /^\/v1beta\/models\/[^/:]+:(streamGenerateContent|generateContent)$/,
  wholePath: /:generateContent$/,
  turnsOf(body) {
    const tools = (body["tools"] ?? []) as readonly RequestBody[];
    if (!tools.some(({ functionDeclarations: offered }) => Array.isArray(offered) && offered.length > 0)) return [];
    const contents = (body["contents"] ?? []) as readonly Content[];
    return contents.flatMap(({ role, parts = [] }) => (role === "model" ? [] : parts.flatMap(turnsIn)));
  },
  eventsOf({ model, step, id }) {
    const called = callsIn(step).map(({ tool, input = {} }) => ({ functionCall: { name: tool, args: input } }));
    const parts = called.length === 0 ? [{ text: step.text ?? "" }] : called;
    return [
      [
        null,
        {
          candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
          usageMetadata: { promptTokenCount: TOKENS, candidatesTokenCount: 1, totalTokenCount: TOKENS + 1 },
          modelVersion: model,
          responseId: `response_${id}`,
        },
      ],
    ];
  },
};

interface Answered {
  readonly output?: string;
  readonly error?: string;
}

function turnsIn(part: RequestBody): readonly ModelTurn[] {
  const answered = part["functionResponse"] as { readonly response: Answered } | undefined;
  if (!answered) return typeof part["text"] === "string" ? [{ kind: "prompt", text: part["text"] }] : [];
  const { output = "", error } = answered.response;
  return [{ kind: "result", text: error === undefined ? output : refusalIn(error) }];
}

/** It tells its model of a refusal in one sentence, which ends with the whole answer of the tool. */
function refusalIn(error: string): string {
  const [, answer] = / with response: (\[.*\])$/s.exec(error) ?? [];
  if (answer === undefined) return error;
  const [given] = JSON.parse(answer) as readonly { functionResponse: { response: { content: unknown } } }[];
  return textIn(given?.functionResponse.response.content);
}
