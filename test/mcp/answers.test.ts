/** Whatever goes wrong with a call is told in its result, in words that a model can act on. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { ERAS, McpWorld } from "./support/mcp-world.ts";

describe.each(ERAS)("a client that begins with %s is told", (era) => {
  it("of a refusal, with its facts and what to do next", async () => {
    const a = await new McpWorld().connect("a:1", { era });
    await a.done("wait_for_turn");
    const { isError, answer } = await a.call("release_stick", { lease_id: "x", expected_turn_id: 9, handoff: HANDOFF });
    expect(isError).toBe(true);
    expect(answer).toMatchObject({ error: "turn_mismatch", current_turn_id: 1, current_owner: "a:1" });
    expect(answer["next"]).toMatch(/^You hold turn 1\. .*wait_for_turn/);
  });

  it("of a fault, and the next call finds the store that is there again", async () => {
    const world = new McpWorld();
    writeFileSync(world.data, "not a directory");
    const a = await world.connect("a:1", { era });
    const { isError, answer } = await a.call("join_path");
    expect(isError).toBe(true);
    expect(answer).toMatchObject({ error: "store_unsafe", next: "Ask the person you work for to run tt doctor." });
    rmSync(world.data);
    expect(await a.done("join_path")).toMatchObject({ agent_id: "a:1" });
  });

  it("of a wrong setting, and the next call finds the right one", async () => {
    const world = new McpWorld();
    mkdirSync(`${world.home}/.config/tt`, { recursive: true });
    const config = `${world.home}/.config/tt/config.json`;
    writeFileSync(config, '{"lease_ttl_ms": "long"}');
    const a = await world.connect("a:1", { era });
    expect(await a.call("join_path")).toMatchObject({ isError: true, answer: { error: "invalid_input" } });
    writeFileSync(config, "{}");
    expect(await a.done("join_path")).toMatchObject({ agent_id: "a:1" });
  });

  it("of a tool that does not exist, with the one that was meant", async () => {
    const a = await new McpWorld().connect("a:1", { era });
    const { isError, answer } = await a.call("wait_for_turns");
    expect([isError, answer["error"], answer["next"]]).toEqual([
      true,
      "invalid_input",
      expect.stringContaining("wait_for_turn"),
    ]);
  });
});

const HANDOFF = { status: "the parser is done", next_action: "write its tests" };

describe("a call that needs a turn, without its lease", () => {
  test.each([
    ["release_stick", { handoff: HANDOFF }],
    ["release_stick", { handoff: HANDOFF, expected_turn_id: 1 }],
    ["pass_stick", { handoff: HANDOFF, to_agent_id: "b:2", lease_id: null }],
    ["heartbeat", {}],
  ])("%s %j says who holds the stick, or to the holder how to get the lease", async (name, input) => {
    const world = new McpWorld();
    const [a, b] = [await world.connect("a:1"), await world.connect("b:2")];
    await a.done("wait_for_turn");
    await b.done("join_path");
    expect(await b.call(name, input)).toMatchObject({
      isError: true,
      answer: {
        error: "stale_lease",
        message: "b:2 does not hold the stick: a:1 does.",
        next: expect.stringMatching(/^Wait for the stick with: wait_for_turn /),
        current_owner: "a:1",
      },
    });
    const { answer } = await a.call(name, input);
    expect(answer["message"]).toMatch(/^a:1 holds the stick, but lease_id (is|and expected_turn_id are) missing\.$/);
    expect(answer["next"]).toMatch(/^Get the lease with: wait_for_turn \{"max_wait_ms":0/);
  });
});

describe("a wrong argument is named", () => {
  test.each([
    ["wait_for_turn", { max_wait_ms: "long" }, "invalid_input", "max_wait_ms"],
    ["wait_for_turn", { max_wait_ms: -1 }, "invalid_input", "max_wait_ms"],
    ["wait_for_turn", { room_id: "nowhere" }, "room_not_found", undefined],
    ["heartbeat", { lease_id: 7, expected_turn_id: 1 }, "invalid_input", "lease_id"],
    ["send_message", { body: 7 }, "invalid_input", "body"],
    ["send_message", { body: "x", delivery_hint: "loud" }, "invalid_delivery_hint", undefined],
    ["send_message", { body: "x", delivery_hint: 7 }, "invalid_delivery_hint", undefined],
    ["send_message", { body: "x", to: "nobody" }, "unknown_recipient", undefined],
    ["send_message", { body: "x", to: "room", target: "b:2" }, "invalid_input", "to"],
    ["send_message", { body: "x", to_agent_id: "a:1", target: "b:2" }, "invalid_input", "to"],
    ["send_message", { body: "x".repeat(9000), to: "a:1" }, "message_too_large", undefined],
    ["send_message", { body: "", to: "room" }, "invalid_body", undefined],
    ["read_my_messages", { limit: 0 }, "invalid_input", "limit"],
    ["read_my_messages", { limit: 1.5 }, "invalid_input", "limit"],
    ["ask_peer", { to: "b:2", body: "?", timeout_ms: 300_001 }, "invalid_input", "timeout_ms"],
    ["kick_member", { target_agent_id: "a:1", force: "yes" }, "invalid_input", "force"],
    ["wait_for_events", { event_type: ["nonsense"] }, "invalid_event_type_filter", undefined],
    ["join_path", { context_path: "/nowhere/at/all" }, "invalid_path", undefined],
    ["join_path", { context_path: "" }, "invalid_input", "context_path"],
    ["join_path", { context_path: "x".repeat(5000) }, "invalid_path", undefined],
    ["claim_session", { session_id: "../x" }, "invalid_input", "session_id"],
  ])("%s %j", async (name, input, error, field) => {
    const a = await new McpWorld().connect("a:1");
    await a.done("join_path");
    const { isError, answer } = await a.call(name, input);
    expect([isError, answer["error"]]).toEqual([true, error]);
    if (field !== undefined) expect(answer["field"]).toBe(field);
    for (const sentence of [answer["message"], answer["next"]]) expect(sentence).toEqual(expect.stringMatching(/\S/));
  });
});

describe("a handoff is judged by the rules of every door, and the field is named", () => {
  test.each([
    ["all done", "handoff"],
    [{ status: "", next_action: "go on" }, "status"],
    [{ status: "done" }, "next_action"],
    [{ ...HANDOFF, open_question: ["may I?"] }, "open_question"],
    [{ ...HANDOFF, artifacts: ["a.ts", { path: "b.ts", role: "bad" }] }, "artifacts[1].role"],
    [{ ...HANDOFF, artifacts: [{ path: "b.ts", line: [1, 2] }] }, "artifacts[0].line"],
  ])("%j", async (handoff, field) => {
    const a = await new McpWorld().connect("a:1");
    const { lease_id, turn_id } = await a.done("wait_for_turn");
    const token = { lease_id, expected_turn_id: turn_id };
    const { isError, answer } = await a.call("release_stick", { ...token, handoff });
    expect([isError, answer["error"], answer["field"]]).toEqual([true, "invalid_handoff", field]);
    expect(await a.done("get_room_state")).toMatchObject({ room: { owner: "a:1" } });
    expect(await a.done("release_stick", { ...token, handoff: HANDOFF })).toMatchObject({ status: "released" });
  });
});

it("an agent may not kick a live member by force", async () => {
  const world = new McpWorld();
  const [a, b] = [await world.connect("a:1"), await world.connect("b:2")];
  for (const agent of [a, b]) await agent.done("join_path");
  const { answer } = await a.call("kick_member", { target_agent_id: "b:2", force: true });
  expect(answer["error"]).toBe("not_authorized");
});

it("one type of event may be named without a list", async () => {
  const a = await new McpWorld().connect("a:1");
  await a.done("wait_for_turn");
  const wanted = { event_type: "claim", target_agent_id: "any", after_event_seq: 0, max_wait_ms: 0 };
  expect(await a.done("wait_for_events", wanted)).toMatchObject({ events: [{ event_type: "claim" }] });
});

it("a caller that cannot be known is told how to be, and may read nevertheless", async () => {
  const world = new McpWorld();
  // In a session of its own, so that nothing of the tests' surroundings says who it is.
  const nobody = world.startServer("", { detached: true });
  await nobody.initialize();
  const refused = await nobody.resultOf(nobody.callTool("send_message", { body: "hello" }));
  expect(refused).toMatchObject({
    isError: true,
    answer: { error: "agent_id_required", next: expect.stringContaining("TT_AGENT_ID") },
  });
  expect(refused.answer["next"]).not.toMatch(/ --[a-z]/);
  expect(await nobody.resultOf(nobody.callTool("list_rooms"))).toMatchObject({ answer: { rooms: [] } });
});

it("a name and a directory that the server was started with count", async () => {
  const world = new McpWorld();
  const elsewhere = world.directory("elsewhere");
  const named = world.startServer("", { detached: true, flags: ["--agent", "me:a", "--path", elsewhere] });
  await named.initialize();
  expect(await named.resultOf(named.callTool("join_path"))).toMatchObject({
    answer: { agent_id: "me:a", canonical_path: elsewhere },
  });
});

it("a room is named nowhere and meant everywhere: that of the client's directory", async () => {
  const world = new McpWorld();
  const a = await world.connect("a:1");
  expect(await a.call("get_room_state")).toMatchObject({ isError: true, answer: { error: "room_not_found" } });
  const { message_id } = await a.done("send_message", { body: "is anybody here?" });
  expect(typeof message_id).toBe("string");
  expect(await a.done("get_room_state")).toMatchObject({ members: [{ agent_id: "a:1" }] });
  // What a harness further up says about its own project is not about this one.
  const nested = await world.connect("a:1", { env: { CLAUDE_PROJECT_DIR: world.directory("outer") } });
  expect(await nested.done("get_room_state")).toMatchObject({ members: [{ agent_id: "a:1" }] });
  const elsewhere = await world.connect("a:1", { flags: ["--path", world.directory("elsewhere")] });
  expect(await elsewhere.call("get_room_state")).toMatchObject({ isError: true });
});
