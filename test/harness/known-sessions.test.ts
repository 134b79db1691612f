/** Sessions of the real programs that others find, or that find out by themselves that their tools are gone. */
import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ClaudeSession, claude } from "./support/drivers/claude.ts";
import { codex } from "./support/drivers/codex.ts";
import type { Driver } from "./support/drivers/driver.ts";
import type { HarnessWorld } from "./support/harness-world.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { Peer } from "./support/peer.ts";
import { setUp } from "./support/set-up.ts";

const newWorld = harnessWorlds();
const BODY = "look at the parser";
const DIED = "The MCP server of this session died";

/** A command that runs until it is told to go on. */
function holding(world: HarnessWorld, harness: Driver, who = "it") {
  const [begun, go] = [world.mark(`${who}-begun`), world.mark(`${who}-go`)];
  const hold = harness.shell(`touch '${begun.path}'; until [ -e '${go.path}' ]; do sleep 0.05; done`);
  return { begun, go, hold };
}

/** The processes of our server on this machine that belong to the world. */
function serversOf(world: HarnessWorld): readonly number[] {
  const rows = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n");
  const pids = rows.filter((row) => row.endsWith("tt.cjs mcp")).map((row) => Number.parseInt(row, 10));
  return pids.filter((pid) => environmentOf(pid).includes(`HOME=${world.home}\0`));
}

function environmentOf(pid: number): string {
  try {
    return execFileSync("cat", [`/proc/${pid}/environ`], { encoding: "utf8" });
  } catch {
    // It has ended meanwhile.
    return "";
  }
}

describe.skipIf(!isInstalled("codex"))("Codex with our server and without hooks", () => {
  it("is listed before it has called a tool, and reads what was sent to it by its name", async () => {
    const world = newWorld();
    setUp(world, codex);
    rmSync(join(world.home, ".local/state/tt/hooks/tt-hook"));
    const peer = new Peer(world);
    const { begun, go, hold } = holding(world, codex);
    world.script({ work: [hold, codex.ours("read_my_messages")] });
    const done = codex.prompt(world, "<<script work>>");
    await begun.isThere();
    expect(await peer.tt("peers")).toMatchObject({ sessions: [{ harness: "codex", handle: null }] });
    await peer.send("codex", BODY);
    go.set();
    await done;
    expect(world.answers("codex", "work").at(-1)).toContain(BODY);
  });
});

describe.skipIf(!isInstalled("claude"))("Claude Code", () => {
  it("is told once that its server died", async () => {
    const world = newWorld();
    setUp(world, claude);
    // A call that changes something is answered only when the server is registered.
    world.script({ look: [claude.ours("join_path")], work: [claude.shell("true")], more: [claude.shell("true")] });
    const session = new ClaudeSession(world);
    await session.prompt("<<script look>>");
    const [server] = serversOf(world);
    process.kill(server as number, "SIGKILL");
    await world.until("the server is gone", () => serversOf(world).length === 0);
    await session.prompt("<<script work>>");
    await session.prompt("<<script more>>");
    await session.end();
    expect(world.requestsOf("claude", "look").some((request) => request.includes(DIED))).toBe(false);
    for (const request of world.requestsOf("claude", "more")) expect(request.split(DIED)).toHaveLength(2);
  });

  it("leaves the mail to its main agent that a subagent reads while no flag is up", async () => {
    const world = newWorld();
    setUp(world, claude);
    const peer = new Peer(world);
    await peer.tt("join");
    // While both are held, no hook of the main agent shows the mail.
    const [main, helper] = [holding(world, claude, "main"), holding(world, claude, "helper")];
    const task = { description: "a task", prompt: "<<script work>>", subagent_type: "general-purpose" };
    world.script({
      delegate: [{ tool: "Agent", input: { ...task, run_in_background: true } }, main.hold],
      work: [helper.hold, claude.ours("read_my_messages")],
    });
    const session = new ClaudeSession(world);
    const done = session.prompt("<<script delegate>>");
    await Promise.all([main.begun.isThere(), helper.begun.isThere()]);
    const { id } = await peer.send("claude", BODY);
    const flags = join(world.data, "flags");
    for (const name of readdirSync(flags)) rmSync(join(flags, name));
    helper.go.set();
    await world.until("the subagent has read", () => world.isDone("claude", "work"));
    main.go.set();
    const [, answer] = world.answers("claude", "work");
    expect(answer).toContain(BODY);
    expect(answer).toContain("You are a subagent.");
    await done;
    await session.end();
    expect(await peer.tt("msg", "trace", id)).toMatchObject({
      deliveries: [{ attempts: [{ transport: expect.stringMatching(/^hook:claude:/) as string }] }],
    });
  });
});
