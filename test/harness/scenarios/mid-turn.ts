import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Scenario } from "./scenario.ts";

const BODY = "The schema has changed under you.";

export const midTurn: Scenario = {
  title: "Mail in the middle of a turn",
  async run({ world, driver, peer }) {
    const { name, shell } = driver;
    const [begun, go] = [world.mark("begun"), world.mark("go")];
    const hold = `touch '${begun.path}'; until [ -e '${go.path}' ]; do sleep 0.05; done`;
    world.script({ work: [shell(hold), shell("true"), shell("true")] });
    const running = driver.prompt(world, "<<script work>>");
    await begun.isThere();
    const { id, willBeSeen } = await peer.send(name, BODY);
    expect(willBeSeen).toBe("next_tool_call");
    go.set();
    await running;
    const all = world.requests(name).map(({ turns, body }) => ({ turns, text: JSON.stringify(body) }));
    const told = all.filter(({ text }) => text.includes(BODY));
    // It is shown after the tool that was running when it was sent, or with the next one, and not at the turn's end.
    expect(told[0]?.turns.filter(({ kind }) => kind === "result").length).toBeLessThanOrEqual(2);
    // In its frame, and once.
    for (const { text } of told) {
      expect(text).toContain(`answer with reply_to_message ${id}\\n  ${BODY}\\n[end]`);
      expect(text.split(BODY)).toHaveLength(2);
    }
    expect(await peer.tt("msg", "trace", id)).toMatchObject({
      deliveries: [
        { state: "acked", attempts: [{ n: 1, transport: expect.stringMatching(`^hook:${name}:p(re|ost)-tool$`) }] },
      ],
    });
    expect(existsSync(join(world.data, "hook.log"))).toBe(false);
  },
};
