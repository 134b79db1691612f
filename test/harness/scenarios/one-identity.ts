import { expect } from "vitest";
import { idOf } from "../../support/session-clues.ts";
import { PEER } from "../support/peer.ts";
import { answerIn } from "../support/script.ts";
import type { Scenario } from "./scenario.ts";

/** The hook joins the room at the start of the session, so an identity of its own would be one more member. */
export const oneIdentity: Scenario = {
  title: "One identity: MCP call, shell, hook",
  promise: "H2",
  async run({ world, driver, peer }) {
    const { name, ours, shell } = driver;
    const go = world.mark("go");
    world.script({
      who: [
        ours("get_my_session"),
        shell(world.tt("whoami --json")),
        ours("join_path"),
        { text: "Done.", waitFor: go.path },
      ],
    });
    const running = driver.prompt(world, "<<script who>>");
    await world.until(`${name} has called its tools`, () => world.answers(name, "who").length >= 3);
    const members = await peer.members();
    go.set();
    const id = idOf(name, await running);
    const told = world.answers(name, "who").map((answer) => (answerIn(answer) as { agent_id?: unknown }).agent_id);
    expect(told.slice(0, 2)).toEqual([id, id]);
    expect(members.toSorted()).toEqual([id, PEER].toSorted());
  },
};
