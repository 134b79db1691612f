/** How a server lives: quietly, on a store that it shares with others, and never longer than its client. */
import { execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Connected, McpWorld } from "../mcp/support/mcp-world.ts";
import { withDatabase } from "../support/database-dump.ts";

/** Starts a server on its own streams, says its number, and stays. */
const START_SERVER = `
  const { spawn } = require("node:child_process");
  const server = spawn(process.execPath, [process.argv[1], "mcp"], { stdio: ["inherit", "inherit", "ignore"] });
  server.once("spawn", () => process.stderr.write(String(server.pid)));
  setInterval(() => undefined, 1000);
`;

/** Holds a server up, where it loads its own part, until the process that started it is gone. */
function slowLoading(world: McpWorld): string {
  const file = join(world.root, "slow-loading.cjs");
  writeFileSync(
    file,
    `
    const Module = require("node:module");
    const load = Module._load;
    Module._load = function (name, ...rest) {
      if (name === "./mcp.cjs") {
        const parent = process.ppid;
        require("node:fs").writeFileSync(process.env.MARKER, "");
        while (process.ppid === parent) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      }
      return load.call(this, name, ...rest);
    };`,
  );
  return file;
}

describe("a server ends", () => {
  it("with its standard input, also in the middle of a wait, whose place it gives up", async () => {
    const world = new McpWorld();
    const holder = await world.connect("a:1");
    await holder.done("wait_for_turn");
    const server = world.startServer("b:2");
    await server.initialize();
    server.callTool("wait_for_turn");
    await untilWaiting(holder, true);
    server.child.stdin?.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
    await untilWaiting(holder, false);
    expect(server.stderr).toBe("");
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("with %s, and gives its wait up", async (signal) => {
    const world = new McpWorld();
    const holder = await world.connect("a:1");
    await holder.done("wait_for_turn");
    const server = world.startServer("b:2");
    await server.initialize();
    server.callTool("wait_for_turn");
    await untilWaiting(holder, true);
    server.child.kill(signal);
    expect(await server.ended).toEqual({ code: 0, signal: null });
    await untilWaiting(holder, false);
  });

  it("with its parent process, even if the parent is killed and the pipe stays open", async () => {
    const world = new McpWorld();
    const pipe = openPipe(world);
    const parent = spawn(process.execPath, ["-e", START_SERVER, world.program], {
      cwd: world.tree,
      env: world.env({ TT_AGENT_ID: "a:1" }),
      stdio: [pipe, "pipe", "pipe"],
    });
    const watched = world.watched(parent);
    writeSync(pipe, `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
    await watched.answerTo(1);
    const pid = Number(watched.stderr);
    onTestFinished(() => {
      if (isRunning(pid)) process.kill(pid, "SIGKILL");
    });
    parent.kill("SIGKILL");
    await expect.poll(() => isRunning(pid), { interval: 100 }).toBe(false);
  });

  it("with its parent process, even if the parent dies while the server is being loaded", async () => {
    const world = new McpWorld();
    const pipe = openPipe(world);
    const marker = join(world.root, "loading");
    const parent = spawn(process.execPath, ["-e", START_SERVER, world.program], {
      cwd: world.tree,
      env: { ...world.env({ TT_AGENT_ID: "a:1" }), NODE_OPTIONS: `--require=${slowLoading(world)}`, MARKER: marker },
      stdio: [pipe, "pipe", "pipe"],
    });
    const watched = world.watched(parent);
    await expect.poll(() => existsSync(marker)).toBe(true);
    const pid = Number(watched.stderr);
    onTestFinished(() => {
      if (isRunning(pid)) process.kill(pid, "SIGKILL");
    });
    parent.kill("SIGKILL");
    await expect.poll(() => isRunning(pid), { interval: 100 }).toBe(false);
  });

  it("when its input ends in the middle of a message that is too long", async () => {
    const server = new McpWorld().startServer("a:1");
    await server.initialize();
    for (let count = 0; count < 11; count += 1) server.write("x".repeat(1_048_576));
    server.child.stdin?.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(server.stderr).toBe("");
  });
});

describe("a server that nobody calls", () => {
  it("tells of its session, makes no room, and then leaves the store alone", async () => {
    const world = new McpWorld();
    const idle = await world.connect("a:1");
    const listed = async () => (await idle.done("list_project_sessions"))["sessions"];
    await expect.poll(listed).toMatchObject([{ agent_id: "a:1", handle: null }]);
    expect(await idle.done("list_rooms")).toMatchObject({ rooms: [] });
    await idle.done("wait_for_turn");
    const before = footprint(world);
    const written = bytesWrittenBy(idle.pid);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(footprint(world)).toEqual(before);
    expect(bytesWrittenBy(idle.pid)).toBe(written);
    expect(idle.stderr).toBe("");
  });
});

it("twenty servers on one store at once: every message arrives, and every turn is one agent's", async () => {
  const world = new McpWorld();
  const agents = Array.from({ length: 20 }, (_, index) => `agent:${index}`);
  const connected = await Promise.all(agents.map((agent) => world.connect(agent)));
  await Promise.all(connected.map((one) => one.done("join_path")));
  const worked = await Promise.all(connected.map((one, index) => work(one, agents[(index + 1) % 20] ?? "")));
  const turns = worked.map(({ turnId }) => turnId);
  expect(new Set(turns)).toEqual(new Set(Array.from({ length: 20 }, (_, index) => index + 1)));
  const left = await Promise.all(connected.map(async (one) => bodiesIn(await one.done("read_my_messages"))));
  const received = worked.map(({ bodies }, index) => [...bodies, ...(left[index] ?? [])]);
  expect(received).toEqual(agents.map((agent) => [`for ${agent}`]));
  expect(connected.map(({ stderr }) => stderr).join("")).toBe("");
  const integrity = withDatabase(world.database, (handle) => handle.prepare("PRAGMA integrity_check").get());
  expect(integrity).toMatchObject({ integrity_check: "ok" });
});

it("several servers of one session are one member", async () => {
  const world = new McpWorld();
  const [user, project] = await Promise.all([world.connect("a:1"), world.connect("a:1")]);
  await Promise.all([user.done("join_path"), project.done("join_path")]);
  const granted = await user.done("wait_for_turn");
  expect(await project.done("wait_for_turn")).toMatchObject({ reason: "already_owner", lease_id: granted["lease_id"] });
  expect(await user.done("get_room_state")).toMatchObject({ members: [{ agent_id: "a:1" }] });
  await user.client.close();
  expect(await project.done("get_room_state")).toMatchObject({ room: { owner: "a:1", state: "owned" } });
});

type Answer = Awaited<ReturnType<Connected["done"]>>;

function bodiesIn({ messages = [] }: Answer): readonly string[] {
  return (messages as readonly { readonly body: string }[]).map(({ body }) => body);
}

/** Sends one message, then takes one turn and hands it on. Its mail may come while it waits. */
async function work(
  one: Connected,
  to: string,
): Promise<{ readonly turnId: unknown; readonly bodies: readonly string[] }> {
  await one.done("send_message", { to, body: `for ${to}` });
  const bodies: string[] = [];
  for (;;) {
    const turn = await one.done("wait_for_turn", { max_wait_ms: 30_000 });
    bodies.push(...bodiesIn(turn));
    if (turn["status"] !== "your_turn") continue;
    const handoff = { status: "my part is done", next_action: "do yours" };
    await one.done("release_stick", { lease_id: turn["lease_id"], expected_turn_id: turn["turn_id"], handoff });
    return { turnId: turn["turn_id"], bodies };
  }
}

async function untilWaiting(observer: Connected, expected: boolean): Promise<void> {
  const anybody = async () =>
    ((await observer.done("get_room_state"))["members"] as { waiting: boolean }[]).some(({ waiting }) => waiting);
  await expect.poll(anybody).toBe(expected);
}

/** Both its ends are this test's, so that its reader never sees its end. */
function openPipe(world: McpWorld): number {
  const path = join(world.root, "pipe");
  execFileSync("mkfifo", [path]);
  const pipe = openSync(path, "r+");
  onTestFinished(() => closeSync(pipe));
  return pipe;
}

function footprint({ database }: McpWorld) {
  return [database, `${database}-wal`].map((file) => {
    const { size, mtimeNs } = statSync(file, { bigint: true });
    return { file, size, mtimeNs };
  });
}

/** Bytes that reached a disk; what goes to pipes and into memory does not count. */
function bytesWrittenBy(pid: number): number {
  return Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    // It has ended.
    return false;
  }
}
