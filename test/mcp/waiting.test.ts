/** Calls that wait: below the patience of the client, with progress, and ended by the client that began them. */
import { describe, expect, it } from "vitest";
import { longestWaitMs } from "../../src/surfaces/mcp/clients.ts";
import { type Connected, ERAS, McpWorld } from "./support/mcp-world.ts";

/** How long each client waits by default, as measured; in a terminal, Claude Code moves a call away after two minutes. */
const PATIENCE_MS = {
  "claude-code": 120_000,
  "codex-mcp-client": 300_000,
  "gemini-cli-mcp-client": 600_000,
  opencode: 60_000,
};

const HANDOFF = { status: "the parser is done", next_action: "write its tests" };

describe("a wait stays below the patience of its client", () => {
  it.each(Object.entries(PATIENCE_MS))("%s waits %d ms", (client, patienceMs) => {
    expect(longestWaitMs(client)).toBeLessThan(patienceMs);
    expect(longestWaitMs(client)).toBeGreaterThan(patienceMs * 0.8);
  });

  it("and below the least of them when the client is not known", () => {
    expect(longestWaitMs("another")).toBe(longestWaitMs("opencode"));
    expect(longestWaitMs(null)).toBe(longestWaitMs("opencode"));
  });

  it("whatever was wanted", async () => {
    const world = new McpWorld();
    const { holder, waiter } = await twoAgents(world);
    const asked = await waiter.done("ask_peer", { to: "a:1", body: "?", timeout_ms: 200 });
    expect(asked).toMatchObject({
      timed_out: true,
      timeout_ms: 200,
      next: "The question stays open. A late answer comes with your messages: read_my_messages",
    });
    // The server cuts the wait; how long it would be is in the ask, which ends with the call.
    const cut = waiter.call("ask_peer", { to: "a:1", body: "?", timeout_ms: 300_000 }, { timeoutMs: 300 });
    await expect(cut).rejects.toThrow(/timed out/i);
    expect(holder.stderr).toBe("");
  });
});

describe.each(ERAS)("a client that begins with %s", (era) => {
  it("is told at once what its call waits for", async () => {
    const { holder, turn, waiter } = await twoAgents(new McpWorld(), era);
    const told: string[] = [];
    const waiting = waiter.done("wait_for_turn", { max_wait_ms: 30_000 }, { onProgress: (text) => told.push(text) });
    await expect.poll(() => told).toEqual(["a:1 holds the stick; you are number 1"]);
    await holder.done("release_stick", { ...turn, handoff: HANDOFF });
    expect(await waiting).toMatchObject({ status: "your_turn", handoff: HANDOFF });
  });

  it("that cancels a wait gives its place up", async () => {
    const { holder, waiter } = await twoAgents(new McpWorld(), era);
    const cancel = new AbortController();
    const waiting = waiter.call("wait_for_turn", { max_wait_ms: 30_000 }, { signal: cancel.signal });
    await untilWaiting(holder, "b:2", true);
    cancel.abort();
    await expect(waiting).rejects.toThrow();
    await untilWaiting(holder, "b:2", false);
    expect(await waiter.done("get_my_session")).toMatchObject({ agent_id: "b:2" });
  });

  it("that runs out of time while it waits gives its place up too", async () => {
    const { holder, waiter } = await twoAgents(new McpWorld(), era);
    await expect(waiter.call("wait_for_turn", { max_wait_ms: 30_000 }, { timeoutMs: 500 })).rejects.toThrow();
    await untilWaiting(holder, "b:2", false);
  });

  it("that cancels an ask leaves it open: the late answer comes with its messages", async () => {
    const { holder, waiter } = await twoAgents(new McpWorld(), era);
    const cancel = new AbortController();
    const asking = waiter.call("ask_peer", { to: "a:1", body: "Which tests?" }, { signal: cancel.signal });
    const question = await firstMessage(holder);
    cancel.abort();
    await expect(asking).rejects.toThrow();
    // The server has heard of it when it has answered what was asked afterwards.
    for (const _ of [1, 2]) await waiter.done("get_my_session");
    await holder.done("reply_to_message", { message_id: question["message_id"], body: "All of them." });
    const answer = await firstMessage(waiter);
    expect(answer).toMatchObject({ from: "a:1", body: "All of them.", reply_to: question["message_id"] });
  });
});

it("several calls of one client wait at the same time, and others are answered meanwhile", async () => {
  const { holder, turn, waiter } = await twoAgents(new McpWorld());
  const waiting = waiter.done("wait_for_turn", { max_wait_ms: 30_000 });
  const watching = waiter.done("wait_for_events", { event_type: ["release"], target_agent_id: "any" });
  await untilWaiting(holder, "b:2", true);
  expect(await waiter.done("get_my_session")).toMatchObject({ agent_id: "b:2" });
  await holder.done("release_stick", { ...turn, handoff: HANDOFF });
  expect(await watching).toMatchObject({ events: [{ event_type: "release" }] });
  expect(await waiting).toMatchObject({ status: "your_turn" });
});

const advice = (attempt: number) =>
  `Do work that needs no stick. Then wait again: wait_for_turn {"attempt":${attempt}}`;

it("each not_yet names another attempt to wait with, and mail to read first", async () => {
  const { holder, waiter } = await twoAgents(new McpWorld());
  const next = async (more: object = {}) => (await waiter.done("wait_for_turn", { max_wait_ms: 0, ...more }))["next"];
  // Joining named the second.
  expect(await next()).toBe(advice(3));
  expect(await next({ attempt: 3 })).toBe(advice(4));
  expect(await next({ claim: false })).toBe(
    'Do work that needs no stick. Then wait again: wait_for_turn {"claim":false,"attempt":5}',
  );
  await holder.done("send_message", { to: "b:2", body: "Soon." });
  expect(await next()).toBe('Read your mail: read_my_messages. Then wait again: wait_for_turn {"attempt":6}');
});

/** One of them holds the stick. */
async function twoAgents(world: McpWorld, era: (typeof ERAS)[number] = "initialize") {
  const holder = await world.connect("a:1", { era });
  const granted = await holder.done("wait_for_turn");
  const waiter = await world.connect("b:2", { era });
  await waiter.done("join_path");
  return { holder, waiter, turn: { lease_id: granted["lease_id"], expected_turn_id: granted["turn_id"] } };
}

async function untilWaiting(observer: Connected, agent: string, expected: boolean): Promise<void> {
  const isWaiting = async () => {
    const { members } = await observer.done("get_room_state");
    const all = members as readonly { readonly agent_id: string; readonly waiting: boolean }[];
    return all.some(({ agent_id, waiting }) => agent_id === agent && waiting);
  };
  await expect.poll(isWaiting).toBe(expected);
}

async function firstMessage(reader: Connected): Promise<Readonly<Record<string, unknown>>> {
  let first: Readonly<Record<string, unknown>> | undefined;
  await expect
    .poll(async () => {
      const { messages } = await reader.done("read_my_messages");
      first ??= (messages as Readonly<Record<string, unknown>>[])[0];
      return first;
    })
    .toBeDefined();
  return first ?? {};
}
