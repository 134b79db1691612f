/** The hooks of Gemini CLI, which says of no tool whether a subagent uses it. */
import { expect, test } from "vitest";
import { HookWorld } from "./support/hook-world.ts";
import { bodyIn } from "./support/said.ts";

const A = "11111111-aaaa-4aaa-8aaa-111111111111";
const B = "22222222-bbbb-4bbb-8bbb-222222222222";
const SILENT = { code: 0, stdout: "", stderr: "" };

/** A session at work, to which another one has written. */
async function written() {
  const world = new HookWorld();
  const [ann, bob] = [world.harness("gemini"), world.harness("gemini")];
  await ann.hook("session-start", A, { source: "startup" });
  await bob.hook("session-start", B, { source: "startup" });
  await ann.hook("prompt", A);
  await bob.tt("msg send gemini-2 hello --json", B);
  return { world, ann };
}

test("while subagents are at work nothing is shown; when the last has ended, its parent reads its mail", async () => {
  const { world, ann } = await written();
  expect(await ann.hook("subagent-start", A, { tool_name: "invoke_agent" })).toMatchObject(SILENT);
  expect(await ann.hook("subagent-start", A, { tool_name: "invoke_agent" })).toMatchObject(SILENT);
  expect(await ann.hook("post-tool", A, { tool_name: "read_file" })).toMatchObject(SILENT);
  expect(await ann.hook("subagent-end", A, { tool_name: "invoke_agent" })).toMatchObject(SILENT);
  expect(await ann.hook("post-tool", A, { tool_name: "read_file" })).toMatchObject(SILENT);
  expect(world.flagOf(A)).toBe(true);
  const ended = await ann.hook("subagent-end", A, { tool_name: "invoke_agent" });
  expect(bodyIn(ended.said)).toBe("hello");
  expect(JSON.parse(ended.stdout)).toMatchObject({ hookSpecificOutput: { hookEventName: "AfterTool" } });
  expect(world.flagOf(A)).toBe(false);
});

test.each(["prompt", "stop"] as const)("a subagent whose end was never told is over at the next %s", async (event) => {
  const { ann } = await written();
  await ann.hook("subagent-start", A, { tool_name: "invoke_agent" });
  expect(bodyIn((await ann.hook(event, A)).said)).toBe("hello");
});
