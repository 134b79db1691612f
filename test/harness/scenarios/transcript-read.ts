import { expect } from "vitest";
import type { Scenario } from "./scenario.ts";

export const transcriptRead: Scenario = {
  title: "Its transcript can be read by others",
  async run({ world, driver, peer }) {
    const { name, shell } = driver;
    const go = world.mark("go");
    world.script({ work: [shell("echo a-command-to-remember"), { text: "Done.", waitFor: go.path }] });
    const running = driver.prompt(world, "<<script work>>");
    await world.until(`${name} has run its command`, () => world.answers(name, "work").length > 0);
    const read = await peer.tt("read", name);
    go.set();
    await running;
    const turns = read["messages"] as readonly { readonly role: string; readonly text: string }[];
    expect(turns.find(({ role }) => role === "user")?.text).toContain("<<script work>>");
    expect(turns.find(({ role }) => role === "tool")?.text).toContain("a-command-to-remember");
  },
};
