import { expect } from "vitest";
import type { Scenario } from "./scenario.ts";

export const sessionBrief: Scenario = {
  title: "Brief at the start of a session",
  async run({ world, driver }) {
    world.script({ nothing: [] });
    await driver.prompt(world, "<<script nothing>>");
    const [first] = world.requests(driver.name).filter(({ turns }) => turns.length > 0);
    const told = JSON.stringify(first?.body);
    expect(told).toContain(`[talking stick] You are ${driver.name} in ${world.tree}`);
    expect(told).toContain("Nobody holds the stick.");
  },
};
