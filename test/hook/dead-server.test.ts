/** The MCP server of a session dies: its model is told once that `tt` in its shell does the same. */
import { expect, test } from "vitest";
import { HarnessServer } from "./support/harness-server.ts";
import { type Harness, HookWorld } from "./support/hook-world.ts";

const A = "11111111-aaaa-4aaa-8aaa-111111111111";
const B = "22222222-bbbb-4bbb-8bbb-222222222222";
const TOLD = "The MCP server of this session died";

interface Served {
  readonly world: HookWorld;
  readonly ann: Harness;
  readonly server: HarnessServer;
}

/** A session with hooks at work, whose server has answered a call. */
async function served(): Promise<Served> {
  const world = new HookWorld();
  const ann = world.harness("claude");
  await ann.hook("session-start", A, { source: "startup" });
  const server = await callable(world, ann);
  await ann.hook("prompt", A);
  return { world, ann, server };
}

async function callable(world: HookWorld, harness: Harness): Promise<HarnessServer> {
  const server = await HarnessServer.start(world, harness);
  await server.call("read_my_messages");
  return server;
}

async function end(server: HarnessServer, signal: NodeJS.Signals): Promise<void> {
  server.kill(signal);
  await server.ended;
}

test("no turn goes on for it, but the next prompt tells of it, once, with the commands that are needed most", async () => {
  const { ann, server } = await served();
  await end(server, "SIGKILL");
  expect(await ann.hook("stop", A)).toMatchObject({ code: 0, stdout: "" });
  const { said } = await ann.hook("prompt", A);
  expect(said).toContain(TOLD);
  for (const command of ["tt wait", "tt release", "tt msg recv", "tt msg send", "tt reply"])
    expect(said).toContain(command);
  expect((await ann.hook("prompt", A)).said).toBe("");
});

test("a hook that shows mail tells of it, too, but not to a subagent", async () => {
  const { world, ann, server } = await served();
  await end(server, "SIGKILL");
  await world.done("msg send claude hello", { as: "peer:1" });
  expect((await ann.hook("post-tool", A, { agent_id: "agent-1" })).said).toBe("");
  const { said } = await ann.hook("post-tool", A);
  expect(said).toContain("hello");
  expect(said).toContain(TOLD);
});

test("a server that its harness ends, by a signal or by closing the connection, is no death", async () => {
  const { world, ann, server } = await served();
  await end(server, "SIGTERM");
  expect((await ann.hook("prompt", A)).said).toBe("");
  const second = await callable(world, ann);
  second.close();
  await second.ended;
  expect((await ann.hook("prompt", A)).said).toBe("");
});

test("while one server of the session lives, be it started again or another one, its tools do", async () => {
  const { world, ann, server } = await served();
  const second = await callable(world, ann);
  await end(server, "SIGKILL");
  expect((await ann.hook("prompt", A)).said).toBe("");
  const third = await callable(world, ann);
  await end(third, "SIGKILL");
  expect((await ann.hook("prompt", A)).said).toBe("");
  await end(second, "SIGKILL");
  expect((await ann.hook("prompt", A)).said).toContain(TOLD);
});

test("after `/clear` the server goes on for the next session", async () => {
  const { ann, server } = await served();
  await ann.hook("session-end", A, { reason: "clear" });
  await ann.hook("session-start", B, { source: "clear" });
  expect((await ann.hook("prompt", B)).said).toBe("");
  await end(server, "SIGKILL");
  expect((await ann.hook("prompt", B)).said).toContain(TOLD);
});

test("a session that starts again is not told of a server that it had before", async () => {
  const { world, ann, server } = await served();
  await end(server, "SIGKILL");
  ann.kill();
  const again = world.harness("claude");
  await again.hook("session-start", A, { source: "resume" });
  expect((await again.hook("prompt", A)).said).toBe("");
});
