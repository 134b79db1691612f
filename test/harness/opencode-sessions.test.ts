/** Two sessions in one process of OpenCode, behind one MCP server of ours, are two agents. */
import { describe, expect, onTestFinished } from "vitest";
import { verifies } from "../promises/verifies.ts";
import { bundleFixture } from "../support/fixture.ts";
import { idOf } from "../support/session-clues.ts";
import { outputOf } from "./support/drivers/driver.ts";
import { DRIVERS } from "./support/drivers/index.ts";
import { OFFLINE } from "./support/drivers/opencode.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled, programOf } from "./support/installed.ts";
import { answerIn, type Step } from "./support/script.ts";
import { setUp } from "./support/set-up.ts";

const newWorld = harnessWorlds();
const { ours, shell } = DRIVERS.opencode;
const HANDOFF = { status: "the parser is done", next_action: "write its tests" };

/** A model that names a session itself. */
function asAnotherSession(step: Step): Step {
  const given = typeof step.input === "object" ? step.input : {};
  return { ...step, input: { ...given, tt_session_id: "ses_of_another" } };
}

describe.skipIf(!isInstalled("opencode"))("OpenCode", () => {
  verifies("H2", "two sessions of one OpenCode process at the same time, never mixed", async () => {
    const world = newWorld();
    setUp(world, DRIVERS.opencode);
    const state = world.tt("state --json 2>/dev/null");
    const whoami = world.tt("whoami --json");
    const turn = { lease_id: "$2.lease_id", expected_turn_id: "$2.turn_id" };
    world.script({
      first: [
        ours("get_my_session"),
        ours("wait_for_turn"),
        shell(`until ${state} | grep -q '"waiting":true'; do sleep 0.1; done; ${whoami}`),
        ours("release_stick", { ...turn, handoff: HANDOFF }),
        ours("get_my_session"),
      ],
      second: [
        ours("get_my_session"),
        shell(`until ${state} | grep -q '"owner":"opencode'; do sleep 0.1; done; ${whoami}`),
        ours("wait_for_turn", { max_wait_ms: 30_000 }),
        asAnotherSession(ours("get_my_session")),
      ],
    });
    const fixture = await bundleFixture("test/harness/fixtures/opencode-sessions.ts");
    onTestFinished(() => fixture.remove());
    const words = [process.execPath, fixture.file, ...programOf("opencode"), "<<script first>>", "<<script second>>"];
    const output = await outputOf(world.run(words, OFFLINE));
    const ids = (JSON.parse(output.trim()) as readonly string[]).map((id) => idOf("opencode", id));
    const [first, second] = ids;
    expect(first).not.toBe(second);
    expect(world.answers("opencode", "first").map(answerIn)).toMatchObject([
      { agent_id: first },
      { status: "your_turn", turn_id: 1 },
      { agent_id: first },
      { status: "released" },
      { agent_id: first },
    ]);
    expect(world.answers("opencode", "second").map(answerIn)).toMatchObject([
      { agent_id: second },
      { agent_id: second },
      { status: "your_turn", turn_id: 2, from_agent_id: first, handoff: HANDOFF },
      { agent_id: second },
    ]);
  });
});
