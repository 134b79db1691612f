/** Whatever is sent to the server, it answers in its own words, and goes on. */
import { expect, it } from "vitest";
import { FAULT_CODES } from "../../src/core/fault.ts";
import { REFUSAL_CODES } from "../../src/core/refusal.ts";
import { inProcessPorts } from "../mcp/support/in-process.ts";
import { InProcessClient, type Message } from "../mcp/support/in-process-client.ts";
import { McpWorld } from "../mcp/support/mcp-world.ts";
import { randomCall, randomLine } from "../mcp/support/random-calls.ts";
import { figure, freshSeed, verifies } from "../promises/verifies.ts";
import { inParallel } from "../support/in-parallel.ts";
import { SeededRandom } from "../support/random.ts";
import { ServiceWorld } from "../support/service-world.ts";

const CALLS_PER_WORLD = 500;
const LINES_PER_SERVER = 50;
const ERRORS: readonly string[] = [...REFUSAL_CODES, ...FAULT_CODES];

verifies("E4", "random calls of MCP tools, in process", async () => {
  const seed = freshSeed();
  const outcomes = new Map<string, number>();
  for (let done = 0; done < figure(20_000, 1_000_000); done += CALLS_PER_WORLD) {
    const random = new SeededRandom(seed + done);
    const client = new InProcessClient(inProcessPorts(new ServiceWorld({ waitMaxMs: 0, askTimeoutMs: 0 })));
    for (let index = 0; index < CALLS_PER_WORLD; index += 1) {
      const call = randomCall(random);
      const answer = await client.call(call);
      const problem = problemWith(answer);
      expect(problem === null ? null : { problem, seed: seed + done, call, answer }).toBeNull();
      const outcome = kindOf(answer);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    await client.close();
  }
  // Calls that are all refused by the schema would prove little.
  expect(outcomes.get("answer") ?? 0).toBeGreaterThan(1000);
  expect(outcomes.get("invalid_input") ?? 0).toBeGreaterThan(1000);
  expect(outcomes.size).toBeGreaterThan(8);
});

verifies("E4", "random lines to the MCP server, as real processes", async () => {
  const seed = freshSeed();
  const world = new McpWorld();
  const numbers = Array.from({ length: figure(200, 5000) }, (_, index) => seed + index);
  await inParallel(2, numbers, async (number) => {
    const random = new SeededRandom(number);
    const server = world.startServer("a:1", { env: { TT_WAIT_MAX_MS: "0", TT_ASK_TIMEOUT_MS: "0" } });
    // Some begin in the middle: calls before anything was agreed upon.
    if (random.chance(0.7)) await server.initialize();
    for (let index = 0; index < LINES_PER_SERVER; index += 1) server.write(randomLine(random));
    expect({ number, ...(await server.answerTo(server.request("ping"))) }).toMatchObject({ result: {} });
    server.child.stdin?.end();
    expect({ number, ...(await server.ended) }).toMatchObject({ code: 0, signal: null });
    expect({ number, stderr: server.stderr }).toEqual({ number, stderr: "" });
    for (const message of server.messages) expect(message).toMatchObject({ jsonrpc: "2.0" });
  });
});

it("the check would find an answer that is no answer", () => {
  expect(problemWith(resultOf({ status: "ok" }))).toBeNull();
  expect(problemWith(resultOf({ error: "room_not_found", message: "No.", next: "Yes." }, true))).toBeNull();
  expect(problemWith(resultOf({ error: "oops", message: "No.", next: "Yes." }, true))).toBe("an unknown error oops");
  expect(problemWith(resultOf({ error: "room_not_found", message: "No." }, true))).toBe("half an error");
  expect(problemWith({ error: { code: -32_603, message: "x" } })).toBe("a protocol error -32603: x");
  expect(problemWith({ result: { content: [] } })).toBe("no text");
});

function resultOf(value: object, isError = false): Message {
  return { result: { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value, isError } };
}

interface Content {
  readonly content?: readonly { readonly text?: string }[];
  readonly structuredContent?: object;
  readonly isError?: boolean;
}

/** The first thing that is wrong with an answer, or null. */
function problemWith({ result, error }: Message): string | null {
  if (error) {
    const { code, message } = error as { code: number; message: string };
    // What is no call of a tool at all is the protocol's concern.
    return code === -32_602 ? null : `a protocol error ${code}: ${message}`;
  }
  const { content, structuredContent, isError } = result as Content;
  const text = content?.[0]?.text;
  if (text === undefined) return "no text";
  if (JSON.stringify(JSON.parse(text)) !== JSON.stringify(structuredContent)) return "two answers";
  if (!isError) return "error" in (structuredContent ?? {}) ? "an error that is none" : null;
  const { error: code, message, next } = structuredContent as Readonly<Record<string, unknown>>;
  if (!ERRORS.includes(code as string)) return `an unknown error ${String(code)}`;
  return [message, next].every((told) => typeof told === "string" && told !== "") ? null : "half an error";
}

function kindOf({ result, error }: Message): string {
  if (error) return "protocol";
  const { structuredContent, isError } = result as Content;
  return isError ? String((structuredContent as { error: unknown }).error) : "answer";
}
