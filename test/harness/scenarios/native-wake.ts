import { expect } from "vitest";
import { HarnessInTerminal } from "../support/harness-in-terminal.ts";
import { Terminal } from "../support/terminal.ts";
import type { Scenario } from "./scenario.ts";

const BODIES = ["Wake up: the build is broken.", "Wake up again: it is mended."];
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
    // Its screen may be ready before its own record says so.
    await peer.sees(name, "idle");
    // Nothing else happens from now on: no key, no prompt, no tool. The second wake follows within half a minute, in which
    // Claude Code's inbox drops a text that is the same as the one before.
    for (const body of BODIES) {
      const { id, wakeStatus } = await peer.send(name, body, "--wake");
      // On a busy machine its first sign of life may come after the sender has its answer.
      expect(wakeStatus).toMatch(/^fired(_unconfirmed)?$/);
      await world.until(
        `${name} is told`,
        () => world.isTold(name, body),
        () => harness.window.screen,
      );
      await peer.seesState(id, "acked");
      await peer.sees(name, "idle");
    }
    // What its user had begun to write is still there.
    await harness.window.shows(DRAFT);
  },
};
