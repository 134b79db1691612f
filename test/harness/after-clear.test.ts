/** /clear begins a new session in the same process of Claude Code. It is the same agent as before, under a new name. */
import { describe, expect } from "vitest";
import { verifies } from "../promises/verifies.ts";
import { idOf } from "../support/session-clues.ts";
import { ClaudeSession, claude } from "./support/drivers/claude.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { PEER, Peer } from "./support/peer.ts";
import { answerIn } from "./support/script.ts";
import { setUp } from "./support/set-up.ts";

const newWorld = harnessWorlds();
const BODY = "Sent while you were being cleared.";
const HANDOFF = { status: "the parser is done", next_action: "write its tests" };

describe.skipIf(!isInstalled("claude"))("Claude Code", () => {
  verifies("H2", "before and after /clear, with nothing lost and nobody doubled", async () => {
    const world = newWorld();
    setUp(world, claude);
    const peer = new Peer(world);
    await peer.tt("join");
    const { ours, shell } = claude;
    const whoami = world.tt("whoami --json");
    world.script({
      before: [ours("get_my_session"), shell(whoami), ours("wait_for_turn")],
      after: [
        ours("get_my_session"),
        shell(whoami),
        ours("wait_for_turn"),
        ours("release_stick", { lease_id: "$3.lease_id", expected_turn_id: "$3.turn_id", handoff: HANDOFF }),
      ],
    });
    const session = new ClaudeSession(world);
    await session.prompt("<<script before>>");
    const before = idOf("claude", session.id);
    expect(world.answers("claude", "before").map(answerIn)).toMatchObject([
      { agent_id: before },
      { agent_id: before },
      { status: "your_turn", turn_id: 1 },
    ]);
    const { id: messageId } = await peer.send("claude", BODY);
    await session.prompt("/clear");
    await session.prompt("<<script after>>");
    const after = idOf("claude", session.id);
    expect(after).not.toBe(before);
    expect(world.answers("claude", "after").map(answerIn)).toMatchObject([
      { agent_id: after },
      { agent_id: after },
      { status: "your_turn", turn_id: 1, reason: "already_owner" },
      { status: "released" },
    ]);
    expect(world.isTold("claude", BODY)).toBe(true);
    await peer.seesState(messageId, "acked");
    expect((await peer.members()).toSorted()).toEqual([after, PEER].toSorted());
    await session.end();
  });
});
