/** Waiting for the turn and for mail through one tool. */
import { expect, it } from "vitest";
import { McpWorld } from "./support/mcp-world.ts";

async function aHolds() {
  const world = new McpWorld();
  const a = await world.connect("a:1");
  await a.done("wait_for_turn", { max_wait_ms: 0 });
  const b = await world.connect("b:2");
  await b.done("join_path");
  return { a, b };
}

it("mail ends a wait for the turn, comes with the answer, and is read when that is out", async () => {
  const { a, b } = await aHolds();
  const waiting = b.done("wait_for_turn", { max_wait_ms: 40_000 });
  await expect.poll(async () => JSON.stringify(await a.done("get_room_state"))).toContain('"waiting":true');
  const sent = await a.done("send_message", { to: "b:2", body: "look at fixture 7" });
  expect(sent).toMatchObject({ deliveries: [{ will_be_seen: "now" }] });
  const { message_id } = sent;
  expect(await waiting).toMatchObject({ status: "not_yet", unread: 0, messages: [{ message_id }] });
  const status = async () => JSON.stringify(await a.done("message_status", { message_id }));
  await expect.poll(status).toContain('"state":"acked"');
  expect(await b.done("wait_for_turn", { max_wait_ms: 1 })).not.toHaveProperty("messages");
});

it("an agent that only receives gets its mail, and it is read when the answer is out", async () => {
  const { a, b } = await aHolds();
  const receiving = b.done("wait_for_turn", { max_wait_ms: 40_000, claim: false });
  await expect.poll(async () => JSON.stringify(await a.done("get_room_state"))).toContain('"reachable":true');
  const { message_id } = await a.done("send_message", { to: "b:2", body: "look at fixture 7", wake: "auto" });
  expect(await receiving).toMatchObject({ status: "messages", messages: [{ body: "look at fixture 7" }] });
  const status = () => a.done("message_status", { message_id });
  await expect.poll(async () => JSON.stringify(await status())).toContain('"state":"acked"');
});
