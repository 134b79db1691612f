/** An idle room costs no tokens: nothing that happens in it makes the model of an idle session be asked anything. */
import { expect, it } from "vitest";
import type { Driver } from "./support/drivers/driver.ts";
import { DRIVERS } from "./support/drivers/index.ts";
import { HarnessInTerminal } from "./support/harness-in-terminal.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { Peer } from "./support/peer.ts";
import { setUp } from "./support/set-up.ts";
import { NAMES } from "./support/support-table.ts";
import { Terminal } from "./support/terminal.ts";

const newWorld = harnessWorlds();
const HANDOFF = ["--status", "the parser is done", "--next-action", "write its tests"];

it.skipIf(!isInstalled(...NAMES))(
  "four idle harnesses in a room ask their models nothing, whatever a fifth does",
  async () => {
    const world = newWorld();
    const drivers = Object.values(DRIVERS);
    setUp(world, ...drivers);
    const peer = new Peer(world);
    await peer.tt("join");
    const terminal = await Terminal.start(world);
    // One after the other: four programs that start at once would leave no time for each other's hooks.
    for (const driver of drivers) await beginAndFallIdle(driver);
    expect(await peer.members()).toHaveLength(1 + drivers.length);
    const before = requests();
    for (let round = 0; round < 3; round += 1) {
      const { lease_id: lease, turn_id: turn } = await peer.tt("try");
      expect([lease, turn]).toEqual([expect.any(String), expect.any(Number)]);
      await peer.tt("notes", "add", "the port is 8080");
      await peer.tt("card", `round ${round}`);
      for (const name of NAMES) await peer.send(name, `for your information, round ${round}`);
      await peer.tt("release", ...HANDOFF);
    }
    expect(await peer.members()).toHaveLength(1 + drivers.length);
    expect(requests()).toEqual(before);

    async function beginAndFallIdle(driver: Driver): Promise<void> {
      const { name } = driver;
      const harness = await HarnessInTerminal.start(world, terminal, driver);
      // It comes into the room with its first prompt.
      world.script({ [name]: [] });
      await harness.window.prompt(`<<script ${name}>>`);
      await world.until(
        `${name} has begun`,
        () => world.isDone(name, name),
        () => harness.window.screen,
      );
      await harness.whenReady();
      await peer.sees(name, "idle");
    }

    function requests(): readonly number[] {
      return NAMES.map((name) => world.requests(name).length);
    }
  },
);
