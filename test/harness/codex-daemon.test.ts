/**
 * The real Codex as its user has it: one daemon behind two terminals, and hooks that run because their user has trusted
 * them when Codex asked. The sessions share our MCP server's parent, the hooks' parent and their environment, so only what
 * comes with a call tells them apart.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { verifies } from "../promises/verifies.ts";
import { codex } from "./support/drivers/codex.ts";
import type { Driver } from "./support/drivers/driver.ts";
import { HarnessInTerminal } from "./support/harness-in-terminal.ts";
import type { HarnessWorld } from "./support/harness-world.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled, programOf } from "./support/installed.ts";
import { PEER, Peer } from "./support/peer.ts";
import { answerIn, type Scripts } from "./support/script.ts";
import { setUp } from "./support/set-up.ts";
import { expectShownOnce } from "./support/shown-once.ts";
import { Terminal } from "./support/terminal.ts";
import { until } from "./support/until.ts";

const newWorld = harnessWorlds();
const { ours, shell } = codex;
const HANDOFF = { status: "the parser is done", next_action: "write its tests" };
const [FOR_FIRST, FOR_SECOND, LATER] = ["For the first alone.", "For the second alone.", "Sent after you were closed."];

/** No flag turns the daemon or the trust off. */
function driverWith(words: readonly string[]): Driver {
  return { ...codex, inTerminal: { ...codex.inTerminal, command: [...programOf("codex"), ...words] } };
}

/** The daemon takes no flags from a terminal: what it is to know stands in the settings. */
function setUpWithAddress(world: HarnessWorld, terminal: Terminal): void {
  setUp(world, codex);
  const file = join(world.home, ".codex/config.toml");
  writeFileSync(file, readFileSync(file, "utf8").replace("http://127.0.0.1:9", terminal.modelUrl));
}

/** What its user does when Codex has found new hooks. */
async function trustHooks({ window }: HarnessInTerminal): Promise<void> {
  await window.shows("Hooks need review");
  // It throws away what was typed before it asked, and a little later.
  const isChosen = () => window.screen.includes("› 2. Trust all and continue");
  await until("to trust all is chosen", () => {
    if (!isChosen()) window.press("2");
    return isChosen();
  });
  window.press("Enter");
  await until("it has asked", () => !window.screen.includes("Hooks need review"));
}

describe.skipIf(!isInstalled("codex"))("Codex with its daemon", () => {
  verifies(
    "H2",
    "two sessions of one Codex daemon at the same time, never mixed, and one of them resumed",
    async () => {
      const world = newWorld();
      const terminal = await Terminal.start(world);
      setUpWithAddress(world, terminal);
      const peer = new Peer(world);
      await peer.tt("join");
      const told = world.mark("told");
      world.script(scriptsOf(world, told.path));
      const open = (name: string, ...words: readonly string[]) =>
        HarnessInTerminal.open(world, terminal, driverWith(words), name);
      const a = open("first");
      await trustHooks(a);
      await a.whenReady();
      const b = open("second");
      await b.whenReady();
      expect(existsSync(join(world.home, ".codex/app-server-control/app-server-control.sock"))).toBe(true);
      const { findings } = (await peer.tt("doctor")) as { findings: readonly object[] };
      expect(findings).toContainEqual(expect.objectContaining({ name: "codex", level: "ok" }));
      const seen = () => `${a.window.screen}\n${b.window.screen}`;
      await Promise.all([a.window.prompt("<<script first>>"), b.window.prompt("<<script second>>")]);
      const hasBegun = () =>
        world.answers("codex", "first").length >= 3 && world.answers("codex", "second").length >= 2;
      await world.until("both have begun", hasBegun, seen);
      const [first, second] = [meIn(world, "first"), meIn(world, "second")];
      expect(first.agent_id).not.toBe(second.agent_id);
      const { id: toFirst } = await peer.send(first.agent_id, FOR_FIRST);
      const { id: toSecond } = await peer.send(second.agent_id, FOR_SECOND);
      expect((await peer.members()).toSorted()).toEqual([first.agent_id, second.agent_id, PEER].toSorted());
      told.set();
      await world.until("both are done", () => ["first", "second"].every((name) => world.isDone("codex", name)), seen);
      expectUnmixed(world, first.agent_id, second.agent_id);
      for (const id of [toFirst, toSecond]) await peer.seesState(id, "acked");
      expect(tellsOf(world, FOR_FIRST)).toEqual(["first"]);
      expect(tellsOf(world, FOR_SECOND)).toEqual(["second"]);

      // Its terminal ends and the session stays with the daemon, so it stays a member; another terminal goes on with it.
      await a.whenReady();
      await a.window.prompt("/quit");
      await world.until("the terminal has ended", () => a.window.isOver, seen);
      const { id: later } = await peer.send(first.agent_id, LATER);
      const resumed = open("resumed", "resume", first.session_id);
      await resumed.whenReady();
      await resumed.run("again");
      expect(meIn(world, "again")).toMatchObject(first);
      expectShownOnce(world.requestsOf("codex", "again"), { [later]: LATER });
      await peer.seesState(later, "acked");
      expect((await peer.members()).toSorted()).toEqual([first.agent_id, second.agent_id, PEER].toSorted());
    },
  );
});

/** The first holds the stick until the second waits for it, and both say who they are by every way. */
function scriptsOf(world: HarnessWorld, toldPath: string): Scripts {
  const state = world.tt("state --json 2>/dev/null");
  const whoami = world.tt("whoami --json");
  const turn = { lease_id: "$2.lease_id", expected_turn_id: "$2.turn_id" };
  return {
    first: [
      ours("get_my_session"),
      ours("wait_for_turn"),
      shell(`until ${state} | grep -q '"waiting":true'; do sleep 0.1; done; ${whoami}`),
      shell(`until [ -e '${toldPath}' ]; do sleep 0.1; done`),
      ours("release_stick", { ...turn, handoff: HANDOFF }),
      ours("get_my_session"),
    ],
    second: [
      ours("get_my_session"),
      shell(`until ${state} | grep -q '"owner":"codex'; do sleep 0.1; done; ${whoami}`),
      ours("wait_for_turn", { max_wait_ms: 60_000, wake_on_message: false }),
      ours("get_my_session"),
    ],
    again: [ours("get_my_session")],
  };
}

function meIn(world: HarnessWorld, script: string) {
  const { agent_id, session_id } = answerIn(world.answers("codex", script)[0] ?? "") as Me;
  return { agent_id, session_id };
}

interface Me {
  readonly agent_id: string;
  readonly session_id: string;
}

function expectUnmixed(world: HarnessWorld, first: string, second: string): void {
  expect(world.answers("codex", "first").map(answerIn)).toMatchObject([
    { agent_id: first },
    { status: "your_turn", turn_id: 1 },
    { agent_id: first },
    null,
    { status: "released" },
    { agent_id: first },
  ]);
  expect(world.answers("codex", "second").map(answerIn)).toMatchObject([
    { agent_id: second },
    { agent_id: second },
    { status: "your_turn", turn_id: 2, from_agent_id: first, handoff: HANDOFF },
    { agent_id: second },
  ]);
}

/** The scripts whose model was shown these words. */
function tellsOf(world: HarnessWorld, words: string): readonly string[] {
  return ["first", "second"].filter((script) => world.requestsOf("codex", script).some((text) => text.includes(words)));
}
