/** `/resume` in the terminal of Claude Code: its process goes on with an earlier session, which takes over from the one before. */
import { describe, expect } from "vitest";
import { verifies } from "../promises/verifies.ts";
import { idOf } from "../support/session-clues.ts";
import { claude } from "./support/drivers/claude.ts";
import { HarnessInTerminal } from "./support/harness-in-terminal.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { PEER, Peer } from "./support/peer.ts";
import { answerIn } from "./support/script.ts";
import { setUp } from "./support/set-up.ts";
import { expectShownOnce } from "./support/shown-once.ts";
import { Terminal } from "./support/terminal.ts";

const newWorld = harnessWorlds();
const BODY = "Sent to the one before.";

describe.skipIf(!isInstalled("claude"))("Claude Code", () => {
  verifies("H2", "before and after /resume in one process, with nothing lost and nobody doubled", async () => {
    const world = newWorld();
    setUp(world, claude);
    const peer = new Peer(world);
    await peer.tt("join");
    const { ours } = claude;
    world.script({
      early: [],
      before: [ours("get_my_session"), ours("wait_for_turn")],
      after: [ours("get_my_session"), ours("wait_for_turn")],
    });
    const early = await claude.prompt(world, "<<script early>>");
    const terminal = await Terminal.start(world);
    const harness = await HarnessInTerminal.start(world, terminal, claude);
    await harness.run("before");
    await peer.sees("claude", "idle");
    const { agent_id: before } = answerIn(world.answers("claude", "before")[0] ?? "") as { agent_id: string };
    const { id: messageId } = await peer.send(before, BODY);
    await harness.window.prompt(`/resume ${early}`);
    await world.until(
      "it has been resumed",
      () => harness.window.screen.includes("<<script early>>") && !harness.window.screen.includes("<<script before>>"),
      () => harness.window.screen,
    );
    await harness.whenReady();
    await harness.run("after");
    const id = idOf("claude", early);
    expect(before).not.toBe(id);
    expect(world.answers("claude", "after").map(answerIn)).toMatchObject([
      { agent_id: id },
      { status: "your_turn", turn_id: 1, reason: "already_owner" },
    ]);
    expectShownOnce(world.requestsOf("claude", "after"), { [messageId]: BODY });
    await peer.seesState(messageId, "acked");
    expect((await peer.members()).toSorted()).toEqual([id, PEER].toSorted());
  });
});
