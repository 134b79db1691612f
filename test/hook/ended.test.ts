/** What a session left running when it ended: it acts for nobody until the session is resumed. */

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, test } from "vitest";
import { idOf } from "../support/session-clues.ts";
import { HookWorld } from "./support/hook-world.ts";

const A = "11111111-aaaa-4aaa-8aaa-111111111111";
const OWN = idOf("claude", A);
/** A shell in the background: its harness is gone, its variables are still there. */
const LEFT = { env: { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: A }, who: OWN };

const CHANGES = [
  "join",
  "try",
  "wait --timeout 1s",
  "listen --timeout 1s",
  "msg recv",
  "msg recv --wait --timeout 1s",
  "msg send me:b x",
  "notes add x",
  "name parser",
  `mailbox dequeue ${OWN}`,
  "mailbox enqueue --to me:b x",
];
const READS = ["", "state", "whoami", "events", "peers", "msg recv --peek", "dlq list"];

/** A session that was in a room with another one and has ended. */
async function ended({ reason = "prompt_input_exit" } = {}) {
  const world = new HookWorld();
  await world.done("join", { as: "me:b" });
  const ann = world.harness("claude");
  await ann.hook("session-start", A, { source: "startup" });
  await world.done(["msg", "send", OWN, "hello"], { as: "me:b" });
  await ann.hook("session-end", A, { reason });
  return { world, ann };
}

async function members(world: HookWorld): Promise<string[]> {
  const { members: all } = (await world.done("state --json")).json() as { members: { agent_id: string }[] };
  return all.map(({ agent_id }) => agent_id);
}

describe("what a session left running", () => {
  test("is told so by every command that changes something or waits, and nothing happens", async () => {
    const { world, ann } = await ended();
    for (const line of CHANGES) {
      const outcome = await world.tt(`${line} --json`, LEFT);
      expect([line, outcome.code, outcome.error()]).toMatchObject([line, 5, { error: "session_ended", agent_id: OWN }]);
      expect(outcome.error()["next"]).toMatch(/resume/);
    }
    expect(JSON.parse((await ann.tt("try --json", A)).stderr)).toMatchObject({ error: "session_ended" });
    for (const line of READS) expect([line, (await world.tt(`${line} --json`, LEFT)).code]).toEqual([line, 0]);
    expect(await members(world)).toEqual(["me:b"]);
  });

  test("is told so by the tools of an MCP server, too", async () => {
    const { world } = await ended();
    const client = new Client({ name: "claude-code", version: "2.1.325" });
    const server = {
      command: process.execPath,
      args: [world.program, "mcp", "--tools", "all"],
      env: world.env(LEFT.env),
      cwd: world.tree,
    };
    await client.connect(new StdioClientTransport(server));
    try {
      for (const [name, input] of [
        ["wait_for_turn", { max_wait_ms: 0 }],
        ["join_path", {}],
        ["read_my_messages", {}],
        ["register_my_session", { session_id: A }],
      ] as const) {
        const { structuredContent: answer } = await client.callTool({ name, arguments: input });
        expect([name, answer]).toMatchObject([name, { error: "session_ended" }]);
      }
      const { structuredContent: me } = await client.callTool({ name: "get_my_session", arguments: {} });
      expect(me).toMatchObject({ agent_id: OWN });
    } finally {
      await client.close();
    }
    expect(await members(world)).toEqual(["me:b"]);
  });

  test.each(["wait", "listen", "msg recv --wait", "msg recv --follow"])(
    "is told so in the midst of tt %s",
    async (line) => {
      const world = new HookWorld();
      await world.done("try", { as: "me:b" });
      const ann = world.harness("claude");
      await ann.hook("session-start", A, { source: "startup" });
      const running = world.start(`${line} --timeout 60s --json`, LEFT);
      await world.until("peers --json", ({ stdout }) => new RegExp(`"${OWN}"[^}]*"reachable":true`).test(stdout));
      await ann.hook("session-end", A, { reason: "other" });
      const { code, stderr } = await running.ended;
      expect([code, JSON.parse(stderr)]).toMatchObject([5, { error: "session_ended" }]);
      expect(await members(world)).toEqual(["me:b"]);
    },
  );

  test("acts again when the session is resumed, as an agent that returned, with its mail", async () => {
    const { world } = await ended();
    const again = world.harness("claude");
    await again.hook("session-start", A, { source: "resume" });
    expect((await world.done("msg recv --json", LEFT)).json()).toMatchObject({ messages: [{ body: "hello" }] });
    expect((await world.done("try --json", LEFT)).json()).toMatchObject({ status: "your_turn" });
    const { events } = (await world.done("events --event member_joined --json")).json() as {
      events: { from_agent_id: string; payload: { reason: string } }[];
    };
    const reasons = events.filter(({ from_agent_id: who }) => who === OWN).map(({ payload }) => payload.reason);
    expect(reasons).toEqual(["first", "returned"]);
  });

  test("acts again in another process of the harness, and after a prompt, even if no start was told of", async () => {
    const { world, ann } = await ended();
    expect(await world.harness("claude").tt("notes add x --json", A)).toMatchObject({ code: 0 });
    expect((await ann.tt("notes add x --json", A)).code).toBe(5);
    await ann.hook("prompt", A);
    expect(await ann.tt("notes add x --json", A)).toMatchObject({ code: 0 });
  });
});

test.each(["clear", "resume"])("a session that ended by %s is not over", async (reason) => {
  const { world } = await ended({ reason });
  expect((await world.done("try --json", LEFT)).json()).toMatchObject({ status: "your_turn" });
});

test("a session that goes on in another process has left nothing behind", async () => {
  const world = new HookWorld();
  await world.done("join", { as: "me:b" });
  const [ann, second] = [world.harness("claude"), world.harness("claude")];
  for (const harness of [ann, second]) await harness.hook("session-start", A, { source: "resume" });
  await ann.hook("session-end", A, { reason: "prompt_input_exit" });
  expect((await world.done("try --json", LEFT)).json()).toMatchObject({ status: "your_turn" });
});
