import { expect } from "vitest";
import { idOf } from "../../support/session-clues.ts";
import { PEER } from "../support/peer.ts";
import { answerIn } from "../support/script.ts";
import { expectShownOnce } from "../support/shown-once.ts";
import type { Scenario } from "./scenario.ts";

const BODY = "Sent while you were away.";

/** A session that has ended and goes on later, in another process. */
export const resumed: Scenario = {
  title: "Resumed, the same agent, with the mail of the meantime",
  async run({ world, driver, peer }) {
    const { name, ours } = driver;
    const go = world.mark("go");
    world.script({
      before: [ours("wait_for_turn")],
      after: [ours("get_my_session"), ours("wait_for_turn"), { text: "Done.", waitFor: go.path }],
    });
    const session = await driver.prompt(world, "<<script before>>");
    const id = idOf(name, session);
    // It has left with its session, and the stick that it held is free.
    expect(await peer.members()).toEqual([PEER]);
    expect(await peer.tt("state")).toMatchObject({ room: { owner: null, turn_id: 1 } });
    const { id: messageId, willBeSeen } = await peer.send(id, BODY);
    expect(willBeSeen).toBe("when_it_returns");
    const running = driver.prompt(world, "<<script after>>", { resumed: session });
    await world.until(`${name} has called its tools`, () => world.answers(name, "after").length >= 2);
    const members = await peer.members();
    go.set();
    expect(await running).toBe(session);
    expect(members.toSorted()).toEqual([id, PEER].toSorted());
    expect(world.answers(name, "after").map(answerIn)).toMatchObject([
      { agent_id: id },
      { status: "your_turn", turn_id: 2, reason: "open_claim" },
    ]);
    expectShownOnce(world.requestsOf(name, "after"), { [messageId]: BODY });
    expect(await peer.tt("msg", "trace", messageId)).toMatchObject({
      deliveries: [{ state: "acked", attempts: [{ n: 1, transport: `hook:${name}:prompt` }] }],
    });
  },
};
