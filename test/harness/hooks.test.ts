/** What our hooks must not do in the real programs, and what they must do at the end of Claude Code. */
import { describe, expect, it } from "vitest";
import { scriptNameIn } from "../../src/prove/rules/script.ts";
import { ClaudeSession, claude } from "./support/drivers/claude.ts";
import type { Driver } from "./support/drivers/driver.ts";
import { gemini } from "./support/drivers/gemini.ts";
import type { HarnessWorld } from "./support/harness-world.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { PEER, Peer } from "./support/peer.ts";
import { setUp } from "./support/set-up.ts";
import type { HarnessName } from "./support/wires/index.ts";

const newWorld = harnessWorlds();
const BODY = "look at the parser";
/** What a subagent is asked to do. */
const WORK = "<<script work>>";

/** A command that runs until it is told to go on. */
function holding(world: HarnessWorld, harness: Driver) {
  const [begun, go] = [world.mark("begun"), world.mark("go")];
  const hold = harness.shell(`touch '${begun.path}'; until [ -e '${go.path}' ]; do sleep 0.05; done`);
  return { begun, go, hold };
}

/** The message was shown to the session, and to its subagent never. */
function expectUntold(world: HarnessWorld, harness: HarnessName): void {
  const requests = world.requests(harness).map(({ turns, body }) => ({
    isSubagents: scriptNameIn(turns) === "work",
    tells: JSON.stringify(body).includes(BODY),
  }));
  expect(requests.filter(({ isSubagents }) => isSubagents).length).toBeGreaterThan(2);
  expect(requests.filter(({ isSubagents, tells }) => isSubagents && tells)).toEqual([]);
  expect(requests.some(({ isSubagents, tells }) => !isSubagents && tells)).toBe(true);
}

describe.skipIf(!isInstalled("claude"))("Claude Code", () => {
  it("leaves with its session, and the stick that it held is free", async () => {
    const world = newWorld();
    setUp(world, claude);
    const peer = new Peer(world);
    await peer.tt("join");
    world.script({ hold: [claude.ours("wait_for_turn")] });
    const session = new ClaudeSession(world);
    await session.prompt("<<script hold>>");
    expect(await peer.tt("state")).toMatchObject({ room: { owner: expect.stringMatching(/^claude:/) as string } });
    await session.end();
    expect(await peer.tt("state")).toMatchObject({ room: { owner: null } });
    expect(await peer.members()).toEqual([PEER]);
  });

  it("tells a holder after its next tool who took its stick and why, once", async () => {
    const world = newWorld();
    setUp(world, claude);
    const peer = new Peer(world);
    await peer.tt("join");
    const { begun, go, hold } = holding(world, claude);
    world.script({ write: [claude.ours("wait_for_turn"), hold, claude.shell("true"), claude.shell("true")] });
    const session = new ClaudeSession(world);
    const done = session.prompt("<<script write>>");
    await begun.isThere();
    await peer.asPerson("take", "--operator-requested", "--reason", "wrong-branch");
    go.set();
    await done;
    await session.end();
    const told = world.requests("claude").map(({ body }) => JSON.stringify(body).split("took the stick from you"));
    const tells = told.filter((parts) => parts.length > 1);
    expect(tells.length).toBeGreaterThanOrEqual(3);
    for (const parts of tells) {
      expect(parts).toHaveLength(2);
      expect(parts[0]).toMatch(new RegExp(`${PEER} $`));
      expect(parts[1]).toMatch(
        /^ on [^"]* That ended your turn 1\. Reason: \\+"wrong-branch\\+"\. You no longer hold the stick/,
      );
    }
  });

  it("shows a subagent nothing", async () => {
    const world = newWorld();
    setUp(world, claude);
    const peer = new Peer(world);
    await peer.tt("join");
    const { begun, go, hold } = holding(world, claude);
    const subagent = {
      tool: "Agent",
      input: { description: "a task", prompt: WORK, subagent_type: "general-purpose" },
    };
    world.script({ delegate: [subagent], work: [hold, claude.shell("true"), claude.shell("true")] });
    const session = new ClaudeSession(world);
    const done = session.prompt("<<script delegate>>");
    await begun.isThere();
    await peer.send("claude", BODY);
    go.set();
    await done;
    await world.until("the subagent has done its work", () => world.isDone("claude", "work"));
    await session.end();
    expectUntold(world, "claude");
  });
});

describe.skipIf(!isInstalled("gemini"))("Gemini CLI", () => {
  it("shows a subagent nothing", async () => {
    const world = newWorld();
    setUp(world, gemini);
    const peer = new Peer(world);
    await peer.tt("join");
    const { begun, go, hold } = holding(world, gemini);
    const end = { tool: "complete_task", input: { result: { response: "done" } } };
    world.script({
      delegate: [{ tool: "invoke_agent", input: { agent_name: "generalist", prompt: WORK } }],
      work: [hold, gemini.shell("true"), gemini.shell("true"), end],
    });
    const done = gemini.prompt(world, "<<script delegate>>");
    await begun.isThere();
    await peer.send("gemini", BODY);
    go.set();
    await done;
    expectUntold(world, "gemini");
  });
});
