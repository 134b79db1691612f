import { HarnessInTerminal } from "../support/harness-in-terminal.ts";
import { Terminal } from "../support/terminal.ts";
import type { Scenario } from "./scenario.ts";

const BODY = "Before you rest: the tests are red.";

export const turnEnd: Scenario = {
  title: "Mail at the end of a turn",
  async run({ world, driver, peer }) {
    const { name } = driver;
    const go = world.mark("go");
    world.script({ think: [{ text: "Thought.", waitFor: go.path }] });
    const terminal = await Terminal.start(world);
    const harness = await HarnessInTerminal.start(world, terminal, driver);
    await harness.window.prompt("<<script think>>");
    await world.until(
      `${name} thinks`,
      () => world.hasBegun(name, "think"),
      () => harness.window.screen,
    );
    const { id } = await peer.send(name, BODY);
    go.set();
    await world.until(
      `${name} is told`,
      () => world.isTold(name, BODY),
      () => harness.window.screen,
    );
    await peer.seesState(id, "acked");
    await harness.whenReady();
  },
};
