import { expect } from "vitest";
import { HarnessInTerminal } from "../support/harness-in-terminal.ts";
import { answerIn } from "../support/script.ts";
import { Terminal } from "../support/terminal.ts";
import type { Scenario } from "./scenario.ts";

const BODY = "Sent after you were cleared.";

/** A new session in the same process: it goes on where the old one stopped. */
export const afterClear: Scenario = {
  title: "After `/clear` the same agent, with stick and mail",
  impossible: { opencode: "`/new` begins another session beside the one before, which stays what it was" },
  async run({ world, driver, peer }) {
    const { name, ours } = driver;
    world.script({ before: [ours("wait_for_turn")], after: [ours("get_my_session"), ours("wait_for_turn")] });
    const terminal = await Terminal.start(world);
    const harness = await HarnessInTerminal.start(world, terminal, driver);
    const rests = async () => {
      // A holder's turn may go on once, to remind it: only its hook knows when it has really ended.
      await peer.sees(name, "idle");
      await harness.whenReady();
    };
    await harness.run("before");
    await rests();
    const [former] = (await peer.members()).filter((id) => id.startsWith(name));
    await harness.window.prompt("/clear");
    await world.until(
      "it is cleared",
      () => !harness.window.screen.includes("<<script"),
      () => harness.window.screen,
    );
    await harness.whenListening();
    await harness.run("after");
    await rests();
    const [me, turn] = world.answers(name, "after").map(answerIn);
    const { agent_id: id } = me as { agent_id: string };
    expect(id).not.toBe(former);
    expect(turn).toMatchObject({ status: "your_turn", turn_id: 1, reason: "already_owner" });
    expect(await peer.members()).toHaveLength(2);
    const { id: messageId } = await peer.send(name, BODY);
    world.script({ mail: [] });
    await harness.run("mail");
    expect(world.isTold(name, BODY)).toBe(true);
    await peer.seesState(messageId, "acked");
  },
};
