/** A subagent of Claude Code reads the mail of its session: only a hook before our own tools tells that it is one. */
import { expect, test } from "vitest";
import { HarnessServer } from "./support/harness-server.ts";
import { HookWorld } from "./support/hook-world.ts";

const A = "11111111-aaaa-4aaa-8aaa-111111111111";
const USE = { tool_name: "mcp__talking-stick__read_my_messages", tool_use_id: "toolu_01" };

async function reading(agent: object) {
  const world = new HookWorld();
  const ann = world.harness("claude");
  await ann.hook("session-start", A, { source: "startup" });
  const server = await HarnessServer.start(world, ann);
  await ann.hook("prompt", A);
  expect(world.flagOf(A)).toBe(false);
  for (const event of ["pre-tool", "own-tool"] as const) {
    expect(await ann.hook(event, A, { ...USE, ...agent })).toMatchObject({ code: 0, stdout: "", stderr: "" });
  }
  // The mail comes when the hooks before the tool have run.
  await world.done("msg send claude hello", { as: "peer:1" });
  const answer = await server.call("read_my_messages", {}, { "claudecode/toolUseId": USE.tool_use_id });
  return { world, ann, answer };
}

test("it gets the text, and the mail stays for the main agent, although no mail waited when its tool began", async () => {
  const { ann, answer } = await reading({ agent_id: "agent-1", agent_type: "Explore" });
  expect(answer).toMatchObject({ messages: [{ body: "hello" }], note: expect.stringContaining("subagent") as string });
  expect((await ann.hook("post-tool", A)).said).toContain("hello");
});

test("the main agent takes what it reads", async () => {
  const { world, ann, answer } = await reading({});
  expect(answer).toMatchObject({ messages: [{ body: "hello" }] });
  expect(answer).not.toHaveProperty("note");
  expect((await ann.hook("post-tool", A)).said).not.toContain("hello");
  expect(world.log).toBe("");
});
