/** Our hooks in the real harnesses: what is sent to a session while it works, its model reads, in a frame and once. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import type { HookEvent } from "../../src/domain/hooks/hook.ts";
import { hookScript } from "../../src/harness/hook-script.ts";
import { ClaudeSession } from "./support/drivers/claude.ts";
import type { Driver } from "./support/drivers/driver.ts";
import { DRIVERS } from "./support/drivers/index.ts";
import type { HarnessWorld } from "./support/harness-world.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { answerIn, scriptNameIn } from "./support/script.ts";
import { until } from "./support/until.ts";

const newWorld = harnessWorlds();

type Hooked = "claude" | "codex" | "gemini";

const CLAUDES_EVENTS: Readonly<Record<string, HookEvent>> = {
  SessionStart: "session-start",
  UserPromptSubmit: "prompt",
  PreToolUse: "pre-tool",
  Stop: "stop",
  SessionEnd: "session-end",
};

const EVENTS: Readonly<Record<Hooked, Readonly<Record<string, HookEvent>>>> = {
  claude: CLAUDES_EVENTS,
  codex: CLAUDES_EVENTS,
  gemini: {
    SessionStart: "session-start",
    BeforeAgent: "prompt",
    AfterTool: "post-tool",
    AfterAgent: "stop",
    SessionEnd: "session-end",
  },
};

const TOOL_EVENT: Readonly<Record<Hooked, HookEvent>> = { claude: "pre-tool", codex: "pre-tool", gemini: "post-tool" };

/** Puts our hooks into a harness, and a peer into the room. */
function hookUp(world: HarnessWorld, name: Hooked): Driver {
  const hookProgram = join(dirname(inject("tt")), "hook.cjs");
  const path = world.write(
    "data/hooks/tt-hook",
    hookScript({ version: "0.0.0", node: process.execPath, hookProgram, dataDir: world.data }),
  );
  for (const file of [path, dirname(path)]) chmodSync(file, 0o700);
  asPeer(world, "join");
  const hooks = Object.entries(EVENTS[name]).map(([theirs, ours]) => {
    const command = `test ! -x '${path}' || exec '${path}' ${name} ${ours}`;
    return [theirs, [{ hooks: [{ type: "command", command }] }]] as const;
  });
  DRIVERS[name].configure(world, Object.fromEntries(hooks));
  return DRIVERS[name];
}

function asPeer(world: HarnessWorld, words: string): Record<string, unknown> {
  const { stdout, stderr, status } = spawnSync("/bin/sh", ["-c", world.tt(`${words} --json`)], {
    cwd: world.tree,
    env: { ...world.environment, TT_AGENT_ID: "peer:1" },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${words}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const BODY = "look at the parser";

/** A script that works until it is told to go on, and then uses another tool. */
function working(world: HarnessWorld, driver: Driver, more = 1): void {
  const wait = driver.shell("touch working; until [ -e go ]; do sleep 0.1; done");
  world.script({ work: [wait, ...Array.from({ length: more }, () => driver.shell("true"))] });
}

/** Sends while the session works, and lets it go on. */
async function sendMeanwhile(world: HarnessWorld, name: Hooked) {
  await until("it works", () => existsSync(join(world.tree, "working")));
  const sent = asPeer(world, `msg send ${name} '${BODY}'`);
  world.write("tree/go", "");
  return sent;
}

/** How often each request to the model tells of the message. */
function tellings(world: HarnessWorld, name: Hooked): readonly number[] {
  return world.requests(name).map(({ body }) => JSON.stringify(body).split(BODY).length - 1);
}

describe.each(["claude", "codex", "gemini"] as const)("%s", (name) => {
  it.skipIf(!isInstalled(name))("reads what was sent to it while it worked, framed and once", async () => {
    const world = newWorld();
    const driver = hookUp(world, name);
    working(world, driver);
    const done = driver.prompt(world, "<<script work>>");
    const sent = await sendMeanwhile(world, name);
    expect(sent).toMatchObject({ deliveries: [{ will_be_seen: "next_tool_call" }] });
    await done;
    const [last] = world.requests(name).slice(-1);
    expect(JSON.stringify(last?.body)).toContain("[talking stick] You are ");
    expect(JSON.stringify(last?.body)).toContain(
      `answer with reply_to_message ${String(sent["message_id"])}\\n  ${BODY}\\n[end]`,
    );
    // From the request on in which it is told, the conversation holds it once.
    const told = tellings(world, name);
    expect(told.slice(told.indexOf(1)).every((times) => times === 1)).toBe(true);
    expect(asPeer(world, `msg trace ${String(sent["message_id"])}`)).toMatchObject({
      deliveries: [{ state: "acked", attempts: [{ n: 1, transport: `hook:${name}:${TOOL_EVENT[name]}` }] }],
    });
    expect(asPeer(world, "state")).toMatchObject({ room: { member_count: 1 } });
    expect(existsSync(join(world.data, "hook.log"))).toBe(false);
  });
});

describe.skipIf(!isInstalled("claude"))("Claude Code", () => {
  it("reads at the end of its turn what came too late for its tools", async () => {
    const world = newWorld();
    const driver = hookUp(world, "claude");
    working(world, driver, 0);
    const done = driver.prompt(world, "<<script work>>");
    await sendMeanwhile(world, "claude");
    await done;
    const last = JSON.stringify(world.requests("claude").at(-1)?.body);
    expect(last).toContain("Stop hook feedback:\\n[message from peer (peer)]");
  });

  it("goes on after /clear as the member that it was, with its stick and its mail", async () => {
    const world = newWorld();
    const driver = hookUp(world, "claude");
    world.script({ hold: [driver.shell(world.tt("try --json"))], look: [driver.shell(world.tt("whoami --json"))] });
    const session = new ClaudeSession(world);
    await session.prompt("<<script hold>>");
    const before = ownerOf(world);
    asPeer(world, `msg send claude '${BODY}'`);
    await session.prompt("/clear");
    await session.prompt("<<script look>>");
    const [told] = world.answers("claude", "look");
    const { agent_id: after } = answerIn(told ?? "") as { agent_id: string };
    expect(after).not.toBe(before);
    expect(ownerOf(world)).toBe(after);
    expect(asPeer(world, "state")).toMatchObject({ room: { member_count: 2, turn_id: 1 } });
    expect(tellings(world, "claude").at(-1)).toBe(1);
    await session.end();
    expect(ownerOf(world)).toBeNull();
  });

  it("shows a subagent nothing", async () => {
    const world = newWorld();
    const driver = hookUp(world, "claude");
    working(world, driver, 2);
    const prompt = "<<script work>>";
    const subagent = { tool: "Agent", input: { description: "a task", prompt, subagent_type: "general-purpose" } };
    world.script({ delegate: [subagent] });
    const session = new ClaudeSession(world);
    const done = session.prompt("<<script delegate>>");
    await sendMeanwhile(world, "claude");
    await done;
    await until("the subagent has done its work", () => world.isDone("claude", "work"));
    await session.end();
    const ofSubagent = world.requests("claude").filter(({ turns }) => scriptNameIn(turns) === "work");
    expect(ofSubagent.length).toBeGreaterThan(2);
    expect(ofSubagent.filter(({ body }) => JSON.stringify(body).includes(BODY))).toEqual([]);
    expect(tellings(world, "claude").some((times) => times > 0)).toBe(true);
  });
});

function ownerOf(world: HarnessWorld): unknown {
  return (asPeer(world, "state")["room"] as { readonly owner: string | null }).owner;
}
