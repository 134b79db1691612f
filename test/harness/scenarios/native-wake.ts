import { HarnessInTerminal } from "../support/harness-in-terminal.ts";
import { Terminal } from "../support/terminal.ts";
import type { Scenario } from "./scenario.ts";

const BODY = "Wake up: the build is broken.";
const DRAFT = "half a sentence";

export const nativeWake: Scenario = {
  title: "Woken while idle, by its harness",
  impossible: { gemini: "it offers no way to begin a turn from outside but its terminal" },
  async run({ world, driver, peer }) {
    const { name } = driver;
    world.script({ hello: [] });
    const terminal = await Terminal.start(world);
    const harness = await HarnessInTerminal.start(world, terminal, driver);
    await harness.run("hello");
    await harness.draft(DRAFT);
    // Nothing else happens from now on: no key, no prompt, no tool.
    const { id } = await peer.send(name, BODY, "--wake");
    await world.until(
      `${name} is told`,
      () => world.isTold(name, BODY),
      () => harness.window.screen,
    );
    await peer.seesState(id, "acked");
    // What its user had begun to write is still there.
    await harness.window.shows(DRAFT);
  },
};
