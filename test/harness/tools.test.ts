/** The model of every real harness sees our tools and instructions and can use them. */
import { describe, expect, it } from "vitest";
import type { Driver } from "./support/drivers/driver.ts";
import { DRIVERS } from "./support/drivers/index.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { answerIn, type Step } from "./support/script.ts";

const newWorld = harnessWorlds();

const HANDOFF = { status: "the parser is done", next_action: "write its tests" };
const TURN = { lease_id: "$1.lease_id", expected_turn_id: "$1.turn_id" };

/** As a harness without questions to its user goes through it, alone. */
function work({ ours }: Driver): readonly Step[] {
  return [
    ours("wait_for_turn"),
    ours("send_message", { body: "I have the stick." }),
    ours("read_my_messages"),
    ours("kick_member", { target_agent_id: "nobody" }),
    ours("release_stick", { ...TURN, handoff: HANDOFF }),
    ours("release_stick", { ...TURN, handoff: HANDOFF }),
  ];
}

/** How the model of each harness is told that there is a tool. */
const OFFERED = {
  claude: "mcp__talking-stick__wait_for_turn",
  codex: "mcp__talking_stick",
  gemini: "mcp_talking-stick_wait_for_turn",
  opencode: "talking-stick_wait_for_turn",
} as const;

describe.each(Object.values(DRIVERS))("$name", (driver) => {
  it.skipIf(!isInstalled(driver.name))("shows its model the tools and instructions, and lets it use them", async () => {
    const world = newWorld();
    driver.configure(world);
    world.script({ work: work(driver) });
    await driver.prompt(world, "<<script work>>");
    const told = JSON.stringify(world.requests(driver.name).map(({ body }) => body));
    expect(told).toContain(OFFERED[driver.name]);
    expect(told).toContain("whoever holds the stick");
    expect(world.answers(driver.name, "work").map(answerIn)).toMatchObject([
      { status: "your_turn", turn_id: 1 },
      { deliveries: [] },
      { count: 0 },
      { next: expect.stringMatching(/\S/) },
      { status: "released" },
      { error: "stale_lease" },
    ]);
  });
});
