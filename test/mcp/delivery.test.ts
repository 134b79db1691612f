/** A message is acknowledged when its answer has left the server, and not before; until then it comes again. */
import { expect, it } from "vitest";
import { McpWorld } from "./support/mcp-world.ts";

/** An unanswered delivery comes again soon. */
const SOON = { env: { TT_INFLIGHT_TIMEOUT_MS: "300", TT_BASE_BACKOFF_MS: "0", TT_SEND_RATE_PER_MIN: "0" } };

async function withMail(bodies: readonly string[]) {
  const world = new McpWorld();
  const sender = await world.connect("a:1", SOON);
  await sender.done("join_path");
  await (await world.connect("b:2", SOON)).done("join_path");
  const ids: unknown[] = [];
  for (const body of bodies) ids.push((await sender.done("send_message", { to: "b:2", body }))["message_id"]);
  const states = async () => {
    const all = await Promise.all(ids.map((message_id) => sender.done("message_status", { message_id })));
    return all.map((status) => (status["deliveries"] as [{ state: string }])[0].state);
  };
  const attempts = async () => {
    const status = await sender.done("message_status", { message_id: ids[0] });
    return (status["deliveries"] as [{ attempts: unknown[] }])[0].attempts.length;
  };
  return { world, sender, ids, states, attempts };
}

it("is acknowledged once the client has its answer", async () => {
  const { world, states } = await withMail(["one", "two"]);
  const reader = await world.connect("b:2");
  expect(await reader.done("read_my_messages")).toMatchObject({ count: 2 });
  await expect.poll(states).toEqual(["acked", "acked"]);
  expect(await reader.done("read_my_messages")).toMatchObject({ count: 0 });
});

it("is not acknowledged while the client does not read: it goes back, and comes again when the server is killed", async () => {
  const { world, ids, states, attempts } = await withMail(["one", "two"]);
  const server = world.startServer("b:2");
  await server.initialize();
  server.child.stdout?.pause();
  // More than the way between two processes holds, so that what comes after it stays in the server.
  for (let count = 0; count < 100; count += 1) server.request("tools/list");
  server.callTool("read_my_messages");
  await expect.poll(attempts).toBe(1);
  await expect.poll(states).not.toContain("in_flight");
  expect(await states()).toEqual(["pending", "pending"]);
  server.child.kill("SIGKILL");
  await server.ended;
  const next = await world.connect("b:2");
  const seen = new Set<unknown>();
  await expect
    .poll(async () => {
      const { messages } = await next.done("read_my_messages");
      for (const { message_id } of messages as { message_id: unknown }[]) seen.add(message_id);
      return seen.size;
    })
    .toBe(ids.length);
  expect([...seen]).toEqual(ids);
});

it("is taken but not acknowledged when the client gave up before the answer: it comes again", async () => {
  const { world, ids, states, attempts } = await withMail(["one"]);
  const server = world.startServer("b:2");
  await server.initialize();
  // In one piece, so that the call is cancelled long before its store is open.
  const call = { jsonrpc: "2.0", id: 99, method: "tools/call", params: { name: "read_my_messages", arguments: {} } };
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99, reason: "user" } };
  server.write(`${JSON.stringify(call)}\n${JSON.stringify(cancel)}\n`);
  await expect.poll(attempts).toBe(1);
  await server.answerTo(server.request("ping"));
  expect(server.messages.filter((message) => message["id"] === 99)).toEqual([]);
  expect(await states()).not.toContain("acked");
  const next = await world.connect("b:2");
  await expect
    .poll(async () => ((await next.done("read_my_messages"))["messages"] as { message_id: unknown }[])[0]?.message_id)
    .toBe(ids[0]);
  await expect.poll(states).toEqual(["acked"]);
});

it("goes back at once when the client gave up before the answer, however long an unanswered one would stay out", async () => {
  const world = new McpWorld();
  const sender = await world.connect("a:1");
  await sender.done("join_path");
  const reader = await world.connect("b:2");
  await reader.done("join_path");
  const { message_id } = await sender.done("send_message", { to: "b:2", body: "one" });
  const server = world.startServer("b:2");
  await server.initialize();
  const call = { jsonrpc: "2.0", id: 99, method: "tools/call", params: { name: "read_my_messages", arguments: {} } };
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99, reason: "user" } };
  server.write(`${JSON.stringify(call)}\n${JSON.stringify(cancel)}\n`);
  await expect
    .poll(async () => (await sender.done("message_status", { message_id }))["deliveries"])
    .toMatchObject([{ state: "pending", attempts: [{ n: 1, outcome: "given_back" }] }]);
  expect(await reader.done("read_my_messages")).toMatchObject({ messages: [{ message_id, attempt: 2 }] });
});

it("is no dead letter, however often the client gives up before the answer", async () => {
  const { world, sender, ids } = await withMail(["one"]);
  const server = world.startServer("b:2");
  await server.initialize();
  const lastAttempt = async () => {
    const { deliveries } = await sender.done("message_status", { message_id: ids[0] });
    return (deliveries as [{ state: string; attempts: { n: number; outcome: string }[] }])[0].attempts.at(-1);
  };
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    const id = 100 + attempt;
    const call = { jsonrpc: "2.0", id, method: "tools/call", params: { name: "read_my_messages", arguments: {} } };
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } };
    server.write(`${JSON.stringify(call)}\n${JSON.stringify(cancel)}\n`);
    await expect.poll(lastAttempt).toMatchObject({ n: attempt, outcome: "given_back" });
  }
  const reader = await world.connect("b:2");
  expect(await reader.done("read_my_messages")).toMatchObject({ messages: [{ body: "one", attempt: 7 }] });
});

it("a turn that was granted to a client that died before the answer is found again", async () => {
  const world = new McpWorld();
  const server = world.startServer("a:1");
  await server.initialize();
  server.child.stdout?.pause();
  server.callTool("wait_for_turn");
  const other = await world.connect("b:2");
  await expect
    .poll(async () => (await other.call("get_room_state")).answer)
    .toMatchObject({ room: { owner: "a:1", turn_id: 1 } });
  server.child.kill("SIGKILL");
  await server.ended;
  const again = await world.connect("a:1");
  const found = await again.done("wait_for_turn");
  expect(found).toMatchObject({ status: "your_turn", reason: "already_owner", turn_id: 1 });
  const turn = { lease_id: found["lease_id"], expected_turn_id: 1 };
  expect(await again.done("heartbeat", turn)).toMatchObject({ status: "ok" });
});
