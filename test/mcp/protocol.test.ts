/** What clients see of the server, in both eras of the protocol. */
import { describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { dumpDatabase } from "../support/database-dump.ts";
import { type Connected, ERAS, McpWorld } from "./support/mcp-world.ts";

/** The tools of the specification. */
const TOOLS =
  "list_rooms join_path leave_room kick_member wait_for_turn heartbeat release_stick pass_stick takeover_stick " +
  "request_stick get_room_state get_room_events wait_for_events add_note list_notes resolve_note send_message " +
  "read_my_messages ack_message nack_message message_status ask_peer reply_to_message " +
  "list_project_sessions read_session claim_session register_my_session get_my_session set_my_state dead_letters";
const CORE =
  "join_path wait_for_turn release_stick pass_stick get_room_state send_message read_my_messages ask_peer " +
  "reply_to_message list_project_sessions";
const READS =
  "list_rooms get_room_state get_room_events wait_for_events list_notes message_status get_my_session " +
  "list_project_sessions read_session";

const HANDOFF = { status: "the parser is done", next_action: "write its tests" };

describe.each(ERAS)("a client that begins with %s", (era) => {
  it("learns who the server is and what to do", async () => {
    const { client } = await new McpWorld().connect("a:1", { era });
    expect(client.getServerVersion()).toMatchObject({ name: "talking-stick", version });
    const instructions = client.getInstructions() ?? "";
    expect(instructions).toContain("wait_for_turn");
    expect(instructions.length).toBeLessThanOrEqual(1000);
  });

  it("finds every tool of the specification, and pays little for it", async () => {
    const { client } = await new McpWorld().connect("a:1", { era });
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(words(TOOLS));
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(20_000);
    for (const { name, description = "", inputSchema, outputSchema } of tools) {
      expect([name, description.length > 0 && description.length <= 400]).toEqual([name, true]);
      expect(inputSchema.type).toBe("object");
      expect(outputSchema).toBeUndefined();
    }
    const { inputSchema } = tools.find(({ name }) => name === "release_stick") ?? {};
    expect(inputSchema).toMatchObject({
      required: expect.arrayContaining(["handoff"]),
      properties: { handoff: { type: "object", required: ["status", "next_action"] } },
    });
  });

  it.each(["default", "core"] as const)("finds the core and a gateway with the %s tools, for 8 kB", async (set) => {
    const { client } = await new McpWorld().connect("a:1", { era, tools: set });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...words(CORE), "tt"]);
    const instructions = client.getInstructions() ?? "";
    expect(instructions.length).toBeLessThanOrEqual(1000);
    expect(Buffer.byteLength(JSON.stringify(tools)) + Buffer.byteLength(instructions)).toBeLessThanOrEqual(8000);
    for (const { name, description = "" } of tools) expect([name, description.length <= 400]).toEqual([name, true]);
    expect(tools.at(-1)?.annotations).toEqual({ readOnlyHint: false, destructiveHint: false, openWorldHint: false });
  });

  it("is told in instructions and descriptions only of what it has", async () => {
    for (const tools of ["default", "all"] as const) {
      const { client } = await new McpWorld().connect("a:1", { era, tools });
      const instructions = client.getInstructions() ?? "";
      const listed = (await client.listTools()).tools;
      // The gateway's own description lists what it runs.
      const descriptions = listed.filter(({ name }) => name !== "tt").map(({ description = "" }) => description);
      const plain = [instructions, ...descriptions].join("\n").replace(/tt \{operation: "\w+"\}/g, "tt");
      const named = (plain.match(/[a-z]+(_[a-z]+)+|\btt\b/g) ?? []).filter((name) =>
        [...words(TOOLS), "tt"].includes(name),
      );
      const offered = listed.map(({ name }) => name);
      expect(named.filter((name) => !offered.includes(name))).toEqual([]);
    }
  });

  it("is told of each tool whether it reads, and that none destroys or leaves this machine", async () => {
    const { client } = await new McpWorld().connect("a:1", { era });
    for (const { name, annotations } of (await client.listTools()).tools) {
      const expected = words(READS).includes(name)
        ? { readOnlyHint: true, openWorldHint: false }
        : { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
      expect([name, annotations]).toEqual([name, expected]);
    }
  });

  it.each(["all", "default"] as const)("can use every operation there is with the %s tools", async (tools) => {
    const world = new McpWorld();
    const a = await world.connect("a:1", { era, tools });
    const b = await world.connect("b:2", { era, tools });
    const used = await afternoon(a, b);
    expect(words(TOOLS).filter((name) => !used.has(name))).toEqual([]);
    expect([a.stderr, b.stderr]).toEqual(["", ""]);
  });
});

describe("the gateway", () => {
  it("lists without arguments what it leads to: every operation that is no tool, with its fields", async () => {
    const { client } = await new McpWorld().connect("a:1", { tools: "default" });
    const { structuredContent } = await client.callTool({ name: "tt", arguments: {} });
    const { operations } = structuredContent as { operations: readonly Readonly<Record<string, unknown>>[] };
    expect(operations.map(({ name }) => name)).toEqual(words(TOOLS).filter((name) => !words(CORE).includes(name)));
    expect(operations.find(({ name }) => name === "add_note")).toEqual({
      name: "add_note",
      summary: "Keeps a note for all members: a decision, a finding, a warning.",
      fields: { "room_id?": "string", body: "string", "turn_id?": "integer" },
    });
  });

  it("answers exactly as the tool does, refusals as well", async () => {
    const world = new McpWorld();
    const [direct, led] = [await world.connect("a:1"), await world.connect("a:1", { tools: "default" })];
    await direct.done("join_path");
    for (const [operation, given] of [
      ["list_rooms", {}],
      ["list_notes", { limit: 0 }],
      ["list_notes", { nonsense: 1 }],
      ["resolve_note", { note_id: "n-1" }],
      ["get_my_session", {}],
      ["list_project_sessions", { compact: true }],
    ] as const) {
      const { client } = led;
      const plain = await direct.client.callTool({ name: operation, arguments: given });
      for (const asWritten of [given, JSON.stringify(given)]) {
        const through = await client.callTool({ name: "tt", arguments: { operation, arguments: asWritten } });
        expect(withoutNext(through)).toEqual(withoutNext(plain));
      }
    }
  });

  it.each([{}, { operation: null }, { arguments: {} }])("lists the operations for %j", async (given) => {
    const { client } = await new McpWorld().connect("a:1", { tools: "default" });
    const { isError, structuredContent } = await client.callTool({ name: "tt", arguments: given });
    expect([isError, structuredContent]).toMatchObject([undefined, { operations: expect.any(Array) }]);
  });

  it.each([
    [{ operation: "takeover_stik" }, "operation", "Did you mean takeover_stick?"],
    [{ operation: 7 }, "operation", expect.stringContaining("list_rooms")],
    [{ arguments: { body: "x" } }, "operation", expect.stringContaining("list_rooms")],
    [{ operation: "pass_stick", arguments: { to: "b:2" } }, "to", "Did you mean to_agent_id?"],
    [{ operation: "add_note", body: "x" }, "body", expect.stringContaining("arguments")],
    [{ operation: "add_note", arguments: ["x"] }, "arguments", expect.stringContaining("arguments")],
    [{ operation: "add_note", arguments: "x" }, "arguments", expect.stringContaining("arguments")],
    [{ operation: "add_note", arguments: '"{}"' }, "arguments", expect.stringContaining("arguments")],
    [{ operation: "add_note" }, "body", "Give body."],
  ])("refuses %j by the name of the field", async (given, field, next) => {
    const { client } = await new McpWorld().connect("a:1", { tools: "default" });
    const { isError, structuredContent } = await client.callTool({ name: "tt", arguments: given });
    expect([isError, structuredContent]).toMatchObject([true, { error: "invalid_input", field, next }]);
  });

  it("is named to a client that calls an operation behind it as a tool", async () => {
    const { client } = await new McpWorld().connect("a:1", { tools: "default" });
    const { structuredContent } = await client.callTool({ name: "leave_room", arguments: {} });
    expect(structuredContent).toMatchObject({ next: 'Call tt with operation "leave_room".' });
  });
});

it("what is said to read changes nothing, for any reader", async () => {
  const world = new McpWorld();
  const a = await world.connect("a:1");
  await a.done("wait_for_turn");
  const { note_id } = await a.done("add_note", { body: "fixture 7 is wrong on purpose" });
  await (await world.connect("b:2")).done("join_path");
  const { message_id } = await a.done("send_message", { to: "b:2", body: "hello" });
  const stranger = await world.connect("z:9");
  // A server tells of its session when its client has connected.
  const listed = async () => JSON.stringify(await a.done("list_project_sessions"));
  await expect.poll(listed).toContain('"z:9"');
  const before = dumpDatabase(world.database);
  const input = { max_wait_ms: 1, message_id, note_id, name: "b:2" };
  for (const name of words(READS)) {
    for (const reader of [a, stranger]) await reader.call(name, input);
  }
  expect(dumpDatabase(world.database)).toEqual(before);
});

/** Two agents at work; every tool is used and says what it promises. */
async function afternoon(a: Connected, b: Connected): Promise<ReadonlySet<string>> {
  const used = new Set<string>();
  const as =
    (connected: Connected) =>
    (name: string, input: object = {}) => {
      used.add(name);
      return connected.done(name, { ...input });
    };
  const [callA, callB] = [as(a), as(b)];

  expect(await callA("join_path")).toMatchObject({ agent_id: "a:1", handle: "a" });
  const first = await callA("wait_for_turn");
  expect(first).toMatchObject({ status: "your_turn", turn_id: 1, reason: "open_claim" });
  expect(await callB("join_path")).toMatchObject({ agent_id: "b:2" });
  expect(await callB("wait_for_turn", { max_wait_ms: 0 })).toMatchObject({ status: "not_yet", current_owner: "a:1" });
  const turn = { lease_id: first["lease_id"], expected_turn_id: 1 };
  expect(await callA("heartbeat", turn)).toMatchObject({ status: "ok", turn_id: 1 });
  expect(await callB("request_stick", { why: "a hotfix" })).toMatchObject({ deliveries: [{ to: "a:1" }] });
  const requested = await callA("read_my_messages");
  expect(requested).toMatchObject({ count: 1, messages: [{ from: "b:2", delivery_hint: "interrupt" }] });

  const waiting = callB("wait_for_turn", { max_wait_ms: 30_000 });
  await expect.poll(async () => JSON.stringify(await callA("get_room_state"))).toContain('"waiting":true');
  expect(await callA("release_stick", { ...turn, handoff: HANDOFF })).toMatchObject({ reserved_for: "b:2" });
  const second = await waiting;
  expect(second).toMatchObject({ status: "your_turn", turn_id: 2, handoff: HANDOFF, from_agent_id: "a:1" });

  await mail(callA, callB);

  const { note_id } = await callB("add_note", { body: "the lexer keeps comments", turn_id: 2 });
  expect(await callA("list_notes", { unresolved_only: true })).toMatchObject({ notes: [{ note_id }] });
  expect(await callA("resolve_note", { note_id })).toMatchObject({ note_id });
  expect(await callA("get_room_events", { after_event_seq: 0, limit: 2 })).toMatchObject({ events: [{}, {}] });
  const events = await callA("wait_for_events", { after_event_seq: 0, event_type: ["claim"], target_agent_id: "any" });
  expect(events).toMatchObject({ events: [{ event_type: "claim" }, { event_type: "claim" }] });
  expect(await callA("list_rooms")).toMatchObject({ rooms: [{ owner: "b:2" }] });

  const again = callA("wait_for_turn", { max_wait_ms: 30_000 });
  await expect.poll(async () => JSON.stringify(await callB("get_room_state"))).toContain('"waiting":true');
  const pass = { lease_id: second["lease_id"], expected_turn_id: 2, to_agent_id: "a:1", handoff: HANDOFF };
  expect(await callB("pass_stick", pass)).toMatchObject({ reserved_for: "a:1" });
  expect(await again).toMatchObject({ status: "your_turn", reason: "direct_pass" });

  const purpose = "tests of the parser";
  expect(await callA("set_my_state", { purpose })).toMatchObject({ state_card: { purpose } });
  expect(JSON.stringify(await callB("list_project_sessions"))).toContain(purpose);

  // Nobody is gone here, and both go by given names, so these are refused; that they work is the concern of other tests.
  for (const [name, input] of [
    ["takeover_stick", { expected_turn_id: 3, reason: "it is gone" }],
    ["kick_member", { target_agent_id: "a:1" }],
    ["claim_session", { session_id: "s-1" }],
    ["register_my_session", { session_id: "s-1" }],
    ["read_session", { name: "a:1" }],
  ] as const) {
    used.add(name);
    const { isError, answer } = await b.call(name, input);
    expect([name, isError, typeof answer["next"]]).toEqual([name, true, "string"]);
  }
  expect(await callB("get_my_session")).toMatchObject({ agent_id: "b:2", id_source: "explicit" });
  expect(await callB("leave_room")).toMatchObject({ status: "left" });
  return used;
}

type Call = (name: string, input?: object) => Promise<Readonly<Record<string, unknown>>>;

async function mail(callA: Call, callB: Call): Promise<void> {
  const { message_id } = await callA("send_message", { to: "b:2", body: "Which tests?" });
  expect(await callB("read_my_messages", { ack: "manual" })).toMatchObject({ messages: [{ message_id, attempt: 1 }] });
  expect(await callB("ack_message", { message_id, attempt: 1 })).toMatchObject({ state: "acked", repeated: false });
  expect(await callA("message_status", { message_id })).toMatchObject({ deliveries: [{ to: "b:2", state: "acked" }] });

  const asking = callA("ask_peer", { to: "b:2", body: "Is the lexer yours?", timeout_ms: 30_000 });
  let question: unknown;
  await expect
    .poll(async () => {
      const { messages } = await callB("read_my_messages", { ack: "manual" });
      question ??= (messages as readonly { readonly message_id: unknown }[])[0]?.message_id;
      return question;
    })
    .toBeDefined();
  await callB("ack_message", { message_id: question, attempt: 1 });
  await callB("reply_to_message", { message_id: question, body: "Yes." });
  expect(await asking).toMatchObject({ timed_out: false, reply: { body: "Yes.", correlation: "correlated" } });

  const sent = await callA("send_message", { to: "b:2", body: "again" });
  await callB("read_my_messages", { ack: "manual" });
  const nack = { message_id: sent["message_id"], attempt: 1, reason: "not now" };
  expect(await callB("nack_message", nack)).toMatchObject({ state: "pending" });
  expect(await callB("dead_letters")).toEqual({ dead_letters: [], has_more: false, cursor_delivery_seq: 0 });
}

function words(text: string): readonly string[] {
  return text.split(" ");
}

/** What to do next is named as each client calls it. */
function withoutNext({
  structuredContent,
  isError,
}: {
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}) {
  const { next: _, ...rest } = structuredContent as Readonly<Record<string, unknown>>;
  return { ...rest, isError };
}
