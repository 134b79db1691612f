/** Our plugin in the real OpenCode: subagents, and the end of it. */
import { describe, expect, it } from "vitest";
import { scriptNameIn } from "../../src/prove/rules/script.ts";
import { idOf } from "../support/session-clues.ts";
import { opencode } from "./support/drivers/opencode.ts";
import { HarnessInTerminal } from "./support/harness-in-terminal.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { PEER, Peer } from "./support/peer.ts";
import { answerIn } from "./support/script.ts";
import { setUp } from "./support/set-up.ts";
import { Terminal } from "./support/terminal.ts";

const newWorld = harnessWorlds();
const BODY = "look at the parser";
const { ours, shell } = opencode;

describe.skipIf(!isInstalled("opencode"))("OpenCode", () => {
  it("takes a subagent for the session that started it, and shows it nothing", async () => {
    const world = newWorld();
    setUp(world, opencode);
    const peer = new Peer(world);
    await peer.tt("join");
    const [begun, go] = [world.mark("begun"), world.mark("go")];
    const hold = shell(`touch '${begun.path}'; until [ -e '${go.path}' ]; do sleep 0.05; done`);
    const prompt = "<<script work>>";
    const task = { tool: "task", input: { description: "a task", prompt, subagent_type: "general" } };
    world.script({
      delegate: [task, shell("true")],
      work: [ours("get_my_session"), shell(world.tt("whoami --json")), hold, shell("true")],
    });
    const running = opencode.prompt(world, "<<script delegate>>");
    await begun.isThere();
    const { id: messageId } = await peer.send("opencode", BODY);
    go.set();
    const id = idOf("opencode", await running);
    const [inCall, inShell] = world.answers("opencode", "work").map(answerIn);
    expect([inCall, inShell]).toMatchObject([{ agent_id: id }, { agent_id: id }]);
    const requests = world.requests("opencode").map(({ turns, body }) => ({
      script: scriptNameIn(turns),
      tells: JSON.stringify(body).includes(BODY),
    }));
    expect(requests.filter(({ script }) => script === "work").length).toBeGreaterThan(3);
    expect(requests.filter(({ script, tells }) => script === "work" && tells)).toEqual([]);
    expect(requests.some(({ script, tells }) => script === "delegate" && tells)).toBe(true);
    await peer.seesState(messageId, "acked");
  });

  it("is told of its room again after it was compacted", async () => {
    const world = newWorld();
    setUp(world, opencode);
    await new Peer(world).tt("join");
    world.script({ first: [], second: [] });
    const harness = await HarnessInTerminal.start(world, await Terminal.start(world), opencode);
    await harness.run("first");
    const before = world.requests("opencode").length;
    await harness.window.prompt("/compact");
    await world.until(
      "OpenCode has summed up",
      () => world.requests("opencode").length > before,
      () => harness.window.screen,
    );
    await harness.whenReady();
    await harness.run("second");
    const last = world.requests("opencode").findLast(({ turns }) => scriptNameIn(turns) === "second");
    expect(JSON.stringify(last?.body).split("[talking stick] You are opencode in")).toHaveLength(2);
  });

  it("leaves when its user ends it, and the stick that it held is free", async () => {
    const world = newWorld();
    setUp(world, opencode);
    const peer = new Peer(world);
    await peer.tt("join");
    world.script({ hold: [ours("wait_for_turn")] });
    const terminal = await Terminal.start(world);
    const harness = await HarnessInTerminal.start(world, terminal, opencode);
    await harness.run("hold");
    expect(await peer.tt("state")).toMatchObject({ room: { owner: expect.stringMatching(/^opencode:/) as string } });
    harness.window.press("C-c");
    await world.until(
      "OpenCode has ended",
      () => harness.window.isOver,
      () => harness.window.screen,
    );
    expect(await peer.tt("state")).toMatchObject({ room: { owner: null } });
    expect(await peer.members()).toEqual([PEER]);
  });
});
