/** Each wire reads a conversation and words an answer, without a server. The real programs speak them in test/harness. */
import { expect, it } from "vitest";
import type { ModelStep, ModelTurn } from "../../src/prove/rules/script.ts";
import { callsIn, resultsIn, scriptMark, scriptNameIn } from "../../src/prove/rules/script.ts";
import { anthropic } from "../../src/prove/rules/wires/anthropic.ts";
import { gemini } from "../../src/prove/rules/wires/gemini.ts";
import { openaiChat } from "../../src/prove/rules/wires/openai-chat.ts";
import { openaiResponses } from "../../src/prove/rules/wires/openai-responses.ts";
import { eventText, type RequestBody, type Wire } from "../../src/prove/rules/wires/wire.ts";

const TOOLS = { tools: [{ name: "write" }] };

/** The same conversation by each wire: a prompt, a call that the model made, and its result. */
const CONVERSATIONS: readonly (readonly [name: string, wire: Wire, body: RequestBody])[] = [
  [
    "Anthropic Messages",
    anthropic,
    {
      ...TOOLS,
      messages: [
        { role: "user", content: [{ type: "text", text: "work" }] },
        { role: "assistant", content: [{ type: "tool_use", name: "write" }] },
        { role: "system", content: "a note" },
        { role: "user", content: [{ type: "tool_result", content: [{ type: "text", text: "refused" }] }] },
      ],
    },
  ],
  [
    "OpenAI Responses",
    openaiResponses,
    {
      ...TOOLS,
      input: [
        { type: "message", role: "developer", content: [{ type: "input_text", text: "a note" }] },
        { type: "message", role: "user", content: [{ type: "input_text", text: "work" }] },
        { type: "custom_tool_call", name: "write" },
        { type: "custom_tool_call_output", output: "refused" },
      ],
    },
  ],
  [
    "Gemini",
    gemini,
    {
      tools: [{ functionDeclarations: [{ name: "write" }] }],
      contents: [
        { role: "user", parts: [{ text: "work" }] },
        { role: "model", parts: [{ functionCall: { name: "write" } }] },
        { role: "user", parts: [{ functionResponse: { response: { error: "refused" } } }] },
      ],
    },
  ],
  [
    "OpenAI Chat",
    openaiChat,
    {
      ...TOOLS,
      messages: [
        { role: "system", content: "a note" },
        { role: "user", content: "work" },
        { role: "assistant", content: "", tool_calls: [{}] },
        { role: "tool", content: "refused" },
      ],
    },
  ],
];

it.each(CONVERSATIONS)("%s: the prompt and the result of the tool are read, and nothing else", (_, wire, body) => {
  expect(wire.turnsOf(body)).toEqual([
    { kind: "prompt", text: "work" },
    { kind: "result", text: "refused" },
  ]);
});

it.each(CONVERSATIONS)("%s: a request that offers no tools follows no script", (_, wire, body) => {
  expect(wire.turnsOf({ ...body, tools: [] })).toEqual([]);
});

it.each(CONVERSATIONS)("%s: an answer calls the tools of its step, each by an id of its own", (_, wire) => {
  const step = { tool: "write", input: { path: "a" }, also: { tool: "read", input: { path: "b" } } };
  const said = wire.eventsOf({ model: "m", step, id: "7" }).map(eventText).join("");
  for (const word of ["write", "read"]) expect(said).toMatch(new RegExp(`"name":"${word}"`));
  const ids = [...said.matchAll(/"(?:call_id|id)":"((?:toolu|call)_7_\d)"/g)].map(([, id]) => id);
  if (wire !== gemini) expect(new Set(ids)).toHaveLength(2);
});

it.each(CONVERSATIONS)("%s: an answer without a tool says its text", (_, wire) => {
  const said = wire
    .eventsOf({ model: "m", step: { text: "all is done" }, id: "7" })
    .map(eventText)
    .join("");
  expect(said).toContain("all is done");
});

it("a tool that takes a text is called with that text", () => {
  const step: ModelStep = { tool: "apply_patch", input: "*** Begin Patch" };
  const said = openaiResponses.eventsOf({ model: "m", step, id: "7" }).map(eventText).join("");
  expect(said).toContain('"type":"custom_tool_call"');
  expect(said).toContain('"input":"*** Begin Patch"');
});

it("a script is the one that the last prompt names, and its results are those since", () => {
  const turns: readonly ModelTurn[] = [
    { kind: "prompt", text: scriptMark("first") },
    { kind: "result", text: "of the first" },
    { kind: "prompt", text: `${scriptMark("second")} work` },
    { kind: "result", text: scriptMark("third") },
    { kind: "prompt", text: "go on" },
  ];
  expect(scriptNameIn(turns)).toBe("second");
  expect(resultsIn(turns)).toEqual([{ kind: "result", text: scriptMark("third") }]);
  expect(callsIn({ text: "no tool" })).toEqual([]);
});
