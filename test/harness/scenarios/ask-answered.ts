import { expect } from "vitest";
import type { Scenario } from "./scenario.ts";

const QUESTION = "Which port does the server use?";
const ANSWER = "8080, as the configuration says.";

export const askAnswered: Scenario = {
  title: "A question answered by its model",
  async run({ world, driver, peer }) {
    const { name, ours, shell } = driver;
    const begun = world.mark("begun");
    // The tool after which the question is shown, or with the next one, lasts until it has been asked.
    const wait = `touch '${begun.path}'; until ${world.tt("events --json --event message_sent")} | grep -q '"event_type"'; do sleep 0.1; done`;
    world.script({
      work: [shell(wait), shell("true"), ours("reply_to_message", { message_id: "$mail", body: ANSWER })],
    });
    const running = driver.prompt(world, "<<script work>>");
    await begun.isThere();
    const answered = await peer.tt("ask", name, QUESTION, "--timeout", "60s");
    await running;
    expect(answered).toMatchObject({ timed_out: false, correlation: "correlated", reply: { body: ANSWER } });
  },
};
