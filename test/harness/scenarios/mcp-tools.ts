import { expect } from "vitest";
import { answerIn } from "../support/script.ts";
import type { Scenario } from "./scenario.ts";

const HANDOFF = { status: "the parser is done", next_action: "write its tests" };
const TURN = { lease_id: "$1.lease_id", expected_turn_id: "$1.turn_id" };

/** How the model of each harness is told that there is a tool. */
const OFFERED = {
  claude: "mcp__talking-stick__wait_for_turn",
  codex: "mcp__talking_stick",
  gemini: "mcp_talking-stick_wait_for_turn",
  opencode: "talking-stick_wait_for_turn",
} as const;

export const mcpTools: Scenario = {
  title: "MCP tools and instructions",
  async run({ world, driver }) {
    const { name, ours } = driver;
    world.script({
      work: [
        ours("wait_for_turn"),
        ours("send_message", { body: "I have the stick." }),
        ours("read_my_messages"),
        ours("kick_member", { target_agent_id: "nobody" }),
        ours("release_stick", { ...TURN, handoff: HANDOFF }),
        ours("release_stick", { ...TURN, handoff: HANDOFF }),
      ],
    });
    await driver.prompt(world, "<<script work>>");
    const told = JSON.stringify(world.requests(name).map(({ body }) => body));
    expect(told).toContain(OFFERED[name]);
    expect(told).toContain("the holder of the stick");
    expect(world.answers(name, "work").map(answerIn)).toMatchObject([
      { status: "your_turn", turn_id: 1 },
      { deliveries: [{ to: "script:peer" }] },
      { count: 0 },
      { error: "unknown_target", next: expect.stringMatching(/\S/) },
      { status: "released" },
      { error: "stale_lease" },
    ]);
  },
};
