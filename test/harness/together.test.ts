/** Two real harnesses of two vendors at work in one room. */
import { describe, expect, it } from "vitest";
import { DRIVERS } from "./support/drivers/index.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { answerIn } from "./support/script.ts";

const newWorld = harnessWorlds();

const HANDOFF = { status: "the parser is done", next_action: "write its tests" };

describe.skipIf(!isInstalled("claude", "codex"))("Claude Code and Codex together", () => {
  it("hand the stick on, ask and answer", async () => {
    const world = newWorld();
    const { claude, codex } = DRIVERS;
    const state = world.tt("state --json 2>/dev/null");
    claude.configure(world);
    codex.configure(world);
    const turn = { lease_id: "$1.lease_id", expected_turn_id: "$1.turn_id" };
    world.script({
      begin: [
        claude.ours("wait_for_turn"),
        claude.shell(`until ${state} | grep -q '"waiting":true'; do sleep 0.1; done`),
        claude.ours("release_stick", { ...turn, handoff: HANDOFF }),
        claude.ours("ask_peer", { to: "codex", body: "Have you got it?", timeout_ms: 30_000 }),
      ],
      follow: [
        codex.shell(`until ${state} | grep -q '"owner":"claude'; do sleep 0.1; done`),
        codex.ours("wait_for_turn", { max_wait_ms: 30_000 }),
        codex.ours("wait_for_events", { after_event_seq: 0, event_type: ["message_sent"], max_wait_ms: 30_000 }),
        codex.ours("read_my_messages"),
        codex.ours("reply_to_message", { message_id: "$4.messages.0.message_id", body: "Yes: write its tests." }),
      ],
    });
    await Promise.all([claude.prompt(world, "<<script begin>>"), codex.prompt(world, "<<script follow>>")]);
    expect(world.answers("codex", "follow").slice(1).map(answerIn)).toMatchObject([
      { status: "your_turn", handoff: HANDOFF, reason: "sequence" },
      { events: [{ event_type: "message_sent" }] },
      { count: 1, messages: [{ harness: "claude", body: "Have you got it?" }] },
      { deliveries: [{}] },
    ]);
    expect(answerIn(world.answers("claude", "begin").at(-1) ?? "")).toMatchObject({
      timed_out: false,
      correlation: "correlated",
      reply: { body: "Yes: write its tests." },
    });
  });
});
