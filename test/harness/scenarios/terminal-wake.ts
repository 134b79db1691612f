import { expect } from "vitest";
import { HarnessInTerminal } from "../support/harness-in-terminal.ts";
import { Terminal } from "../support/terminal.ts";
import type { Scenario } from "./scenario.ts";

const BODY = "Wake up: the build is broken.";
const DRAFT = "xylophone solo";

/** Nothing inside the harness may wake it, and its own inbox cannot be found: the terminal is what is left. */
export const terminalWake: Scenario = {
  title: "Woken while idle, by its tmux pane",
  impossible: { opencode: "its sessions share one process, so no pane is proven to be one session's" },
  async run({ world, driver, peer }) {
    const { name } = driver;
    world.script({ hello: [] });
    const terminal = await Terminal.start(world);
    const harness = await HarnessInTerminal.start(world, terminal, driver, { TT_WAKE: "off" });
    await harness.run("hello");
    await peer.sees(name, "idle");
    const stranger = peer.with({
      HOME: world.directory("elsewhere"),
      TT_DATA_DIR: world.data,
      TMUX: `${terminal.socket},0,0`,
    });
    await harness.draft(DRAFT);
    const kept = await stranger.send(name, BODY, "--wake");
    expect(kept.wakeStatus).toBe("skipped_draft");
    await harness.window.shows(DRAFT);
    await harness.takeBack(DRAFT);
    const { id, wakeStatus } = await stranger.send(name, BODY, "--wake");
    expect(wakeStatus).toMatch(/^fired(_unconfirmed)?$/);
    await world.until(
      `${name} is told`,
      () => world.isTold(name, BODY),
      () => harness.window.screen,
    );
    await peer.seesState(id, "acked");
  },
};
