import { expect } from "vitest";
import type { Scenario } from "./scenario.ts";

const BODY = "The schema has changed under you.";

export const midTurn: Scenario = {
  title: "Mail in the middle of a turn",
  async run({ world, driver, peer }) {
    const { name, shell } = driver;
    const [begun, go] = [world.mark("begun"), world.mark("go")];
    const hold = `touch '${begun.path}'; until [ -e '${go.path}' ]; do sleep 0.05; done`;
    world.script({ work: [shell(hold), shell("true")] });
    const running = driver.prompt(world, "<<script work>>");
    await begun.isThere();
    const { id, willBeSeen } = await peer.send(name, BODY);
    expect(willBeSeen).toBe("next_tool_call");
    expect(await peer.stateOf(id)).toBe("pending");
    go.set();
    await running;
    const told = world.requests(name).filter(({ body }) => JSON.stringify(body).includes(BODY));
    expect(told.length).toBeGreaterThan(0);
    // The tool that was running when it was sent is the last one before it is shown.
    expect(told[0]?.turns.filter(({ kind }) => kind === "result")).toHaveLength(1);
    expect(await peer.stateOf(id)).toBe("acked");
  },
};
