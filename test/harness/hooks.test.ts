/** What our hooks must not do in the real Claude Code, and what they must do at its end. */
import { describe, expect, it } from "vitest";
import { ClaudeSession, claude } from "./support/drivers/claude.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { PEER, Peer } from "./support/peer.ts";
import { scriptNameIn } from "./support/script.ts";
import { setUp } from "./support/set-up.ts";

const newWorld = harnessWorlds();
const BODY = "look at the parser";

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

  it("shows a subagent nothing", async () => {
    const world = newWorld();
    setUp(world, claude);
    const peer = new Peer(world);
    await peer.tt("join");
    const [begun, go] = [world.mark("begun"), world.mark("go")];
    const hold = claude.shell(`touch '${begun.path}'; until [ -e '${go.path}' ]; do sleep 0.05; done`);
    const prompt = "<<script work>>";
    const subagent = { tool: "Agent", input: { description: "a task", prompt, subagent_type: "general-purpose" } };
    world.script({ delegate: [subagent], work: [hold, claude.shell("true"), claude.shell("true")] });
    const session = new ClaudeSession(world);
    const done = session.prompt("<<script delegate>>");
    await begun.isThere();
    await peer.send("claude", BODY);
    go.set();
    await done;
    await world.until("the subagent has done its work", () => world.isDone("claude", "work"));
    await session.end();
    const requests = world.requests("claude").map(({ turns, body }) => ({
      isSubagents: scriptNameIn(turns) === "work",
      tells: JSON.stringify(body).includes(BODY),
    }));
    expect(requests.filter(({ isSubagents }) => isSubagents).length).toBeGreaterThan(2);
    expect(requests.filter(({ isSubagents, tells }) => isSubagents && tells)).toEqual([]);
    expect(requests.some(({ isSubagents, tells }) => !isSubagents && tells)).toBe(true);
  });
});
