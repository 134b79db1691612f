/** Every real harness in a terminal: it can be driven by what its screen shows. */
import { describe, expect, it } from "vitest";
import { DRIVERS } from "./support/drivers/index.ts";
import { HarnessInTerminal } from "./support/harness-in-terminal.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { answerIn } from "./support/script.ts";
import { setUp } from "./support/set-up.ts";
import { Terminal } from "./support/terminal.ts";

const newWorld = harnessWorlds();

describe.each(Object.values(DRIVERS))("$name in a terminal", (driver) => {
  it.skipIf(!isInstalled(driver.name))("takes a prompt, calls our tools, and keeps a draft", async () => {
    const world = newWorld();
    setUp(world, driver);
    world.script({ look: [driver.ours("get_my_session"), driver.ours("list_rooms")] });
    const terminal = await Terminal.start(world);
    const harness = await HarnessInTerminal.start(world, terminal, driver);
    await harness.run("look");
    expect(world.answers(driver.name, "look").map(answerIn)).toMatchObject([{ harness: driver.name }, { rooms: [] }]);
    await harness.draft("half a sentence");
    expect(driver.inTerminal.emptyColumns).not.toContain(harness.window.cursorColumn);
  });
});
