/** Sessions that others can find although they have done nothing yet: an idle one, and one that has no hooks. */
import { describe, expect, test } from "vitest";
import { idOf } from "../support/session-clues.ts";
import { HarnessServer } from "./support/harness-server.ts";
import { type Harness, HookWorld } from "./support/hook-world.ts";
import { bodyIn } from "./support/said.ts";

const A = "11111111-aaaa-4aaa-8aaa-111111111111";
const B = "22222222-bbbb-4bbb-8bbb-222222222222";
const PEER = { as: "peer:1" };

interface Listed {
  readonly agent_id: string;
  readonly harness: string;
  readonly unread: number;
}

async function peersOf(world: HookWorld): Promise<readonly Listed[]> {
  return ((await world.done("peers --json", PEER)).json() as { sessions: Listed[] }).sessions;
}

/** Until the server has told of its session, which it does right after its client is ready. */
async function untilListed(world: HookWorld, harness: string): Promise<string> {
  const find = async () => (await peersOf(world)).find((peer) => peer.harness === harness)?.agent_id;
  await expect.poll(find).toBeDefined();
  return (await find()) as string;
}

async function recipientsOf(world: HookWorld, words: string): Promise<readonly string[]> {
  const { deliveries } = (await world.done(`msg send ${words} --json`, PEER)).json() as {
    deliveries: { to: string }[];
  };
  return deliveries.map(({ to }) => to);
}

async function hasRoom(world: HookWorld): Promise<boolean> {
  return (await world.tt("state --json")).code === 0;
}

async function read(server: HarnessServer, meta: object = {}): Promise<readonly string[]> {
  const { messages } = (await server.call("read_my_messages", {}, meta)) as { messages: { body: string }[] };
  return messages.map(({ body }) => body);
}

async function idle(): Promise<{ world: HookWorld; ann: Harness }> {
  const world = new HookWorld();
  const ann = world.harness("claude");
  await ann.hook("session-start", A, { source: "startup" });
  return { world, ann };
}

describe("the first session of a directory, idle when company comes", () => {
  test("is found by its harness, and reads its mail at its next prompt", async () => {
    const { world, ann } = await idle();
    expect(await recipientsOf(world, "claude hello")).toEqual([idOf("claude", A)]);
    expect(await peersOf(world)).toMatchObject([{ agent_id: "peer:1" }, { agent_id: idOf("claude", A), unread: 1 }]);
    expect(bodyIn((await ann.hook("prompt", A)).said)).toBe("hello");
  });

  test("gets what is sent to the room, once, also in the middle of its work", async () => {
    const { world, ann } = await idle();
    await ann.hook("prompt", A);
    expect(await recipientsOf(world, "room hello")).toEqual([idOf("claude", A)]);
    expect(bodyIn((await ann.hook("post-tool", A)).said)).toBe("hello");
    await ann.hook("stop", A);
    expect(await recipientsOf(world, "room again")).toEqual([idOf("claude", A)]);
  });
});

describe("a session that has an MCP server and no hooks", () => {
  test("is listed from the start of its server and makes no room by that; by its harness and by the room it gets mail", async () => {
    const world = new HookWorld();
    const server = await HarnessServer.start(world, world.harness("gemini"), "gemini-cli-mcp-client");
    const id = await untilListed(world, "gemini");
    expect(id).toMatch(/^gemini:/);
    expect(await hasRoom(world)).toBe(false);
    expect(await recipientsOf(world, "gemini one")).toEqual([id]);
    expect(await recipientsOf(world, "room two")).toEqual([id]);
    expect(await read(server)).toEqual(["one", "two"]);
  });

  test("reads under the id that came with its call what was sent to it before", async () => {
    const world = new HookWorld();
    const server = await HarnessServer.start(world, world.harness("codex"), "codex-mcp-client");
    const provisional = await untilListed(world, "codex");
    expect(provisional).not.toBe(idOf("codex", A));
    expect(await recipientsOf(world, "codex hello")).toEqual([provisional]);
    expect(await read(server, { threadId: A, sessionId: A })).toEqual(["hello"]);
    expect(await peersOf(world)).toMatchObject([{ agent_id: "peer:1" }, { agent_id: idOf("codex", A) }]);
    expect(await recipientsOf(world, "codex again")).toEqual([idOf("codex", A)]);
  });

  test("reads in its shell, too, what was sent to it before", async () => {
    const world = new HookWorld();
    const ann = world.harness("codex");
    await HarnessServer.start(world, ann, "codex-mcp-client");
    await untilListed(world, "codex");
    await recipientsOf(world, "codex hello");
    const command = `'${process.execPath}' '${world.program}' msg recv --json`;
    const { stdout } = await ann.run(command, "", { CODEX_SESSION_ID: A, CODEX_THREAD_ID: A });
    expect(JSON.parse(stdout)).toMatchObject({ messages: [{ body: "hello" }] });
  });

  test("that its hooks name later is one session, and reads at its first prompt what was sent to it before", async () => {
    const world = new HookWorld();
    const ann = world.harness("codex");
    await HarnessServer.start(world, ann, "codex-mcp-client");
    await untilListed(world, "codex");
    await recipientsOf(world, "codex hello");
    await ann.hook("session-start", A, { source: "startup" });
    expect((await ann.hook("prompt", A)).said).toContain("hello");
    expect((await peersOf(world)).map(({ agent_id }) => agent_id)).toEqual([idOf("codex", A), "peer:1"]);
  });

  test("is no longer found after its server died", async () => {
    const world = new HookWorld();
    const server = await HarnessServer.start(world, world.harness("gemini"), "gemini-cli-mcp-client");
    await untilListed(world, "gemini");
    server.kill("SIGKILL");
    await server.ended;
    await expect.poll(() => peersOf(world)).toEqual([]);
    expect((await world.tt("msg send gemini hello --json", PEER)).error()).toMatchObject({
      error: "unknown_recipient",
    });
  });

  test("is company for one that has hooks", async () => {
    const world = new HookWorld();
    const bob = world.harness("claude");
    await bob.hook("session-start", B, { source: "startup" });
    expect(await bob.hook("prompt", B)).toMatchObject({ stdout: "" });
    await HarnessServer.start(world, world.harness("gemini"), "gemini-cli-mcp-client");
    await untilListed(world, "gemini");
    expect((await bob.hook("prompt", B)).said).toContain(`You are claude in ${world.tree}`);
  });
});

test("a session with hooks and a server is alone as before: it is told nothing, and no room is made", async () => {
  const world = new HookWorld();
  const ann = world.harness("claude");
  await ann.hook("session-start", A, { source: "startup" });
  const server = await HarnessServer.start(world, ann);
  expect(await read(server)).toEqual([]);
  for (const event of ["prompt", "pre-tool", "post-tool", "stop"] as const) {
    expect(await ann.hook(event, A)).toMatchObject({ code: 0, stdout: "" });
  }
  expect(await hasRoom(world)).toBe(false);
  expect((await peersOf(world)).map(({ agent_id }) => agent_id)).toEqual([idOf("claude", A)]);
});
