/** All scenarios with one real harness: its column of docs/harness-support.md. */
import { afterAll, describe, it } from "vitest";
import { verifies } from "../../promises/verifies.ts";
import { SCENARIOS } from "../scenarios/index.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { keepColumn } from "./column-file.ts";
import type { Driver } from "./drivers/driver.ts";
import { harnessWorlds } from "./harness-worlds.ts";
import { isInstalled } from "./installed.ts";
import { Peer } from "./peer.ts";
import { setUp } from "./set-up.ts";
import { expectedColumn } from "./support-table.ts";

export function describeSupport(driver: Driver): void {
  describe.skipIf(!isInstalled(driver.name))(driver.name, () => {
    const newWorld = harnessWorlds();
    const column: Record<string, string> = {};
    const possible = SCENARIOS.filter(({ impossible }) => impossible?.[driver.name] === undefined);
    for (const { title, promise, run } of possible) {
      const test = async () => {
        column[title] = "FAILED";
        const world = newWorld();
        setUp(world, driver);
        const peer = new Peer(world);
        await peer.tt("join");
        await run({ world, driver, peer });
        column[title] = "yes";
      };
      if (promise === undefined) it(title, test);
      else verifies(promise, `${driver.name}: ${title}`, test);
    }
    afterAll(() => keepColumn(driver.name, "scenarios", shown(driver, SCENARIOS, column)));
  });
}

/** What was not tried in this run is not claimed. */
function shown({ name }: Driver, scenarios: readonly Scenario[], column: Readonly<Record<string, string>>) {
  const expected = expectedColumn(scenarios, name);
  const cells = Object.entries(expected).map(([title, cell]) => [title, cell === "no" ? "no" : column[title]]);
  return Object.fromEntries(cells.map(([title, cell]) => [title, cell ?? "not run"])) as Record<string, string>;
}
