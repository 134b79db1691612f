/** Two real harnesses of two vendors at work in one room: a turn, a question and its answer, a handoff, and the log of it. */
import { describe, expect, it } from "vitest";
import { DRIVERS } from "./support/drivers/index.ts";
import { harnessWorlds } from "./support/harness-worlds.ts";
import { isInstalled } from "./support/installed.ts";
import { Peer } from "./support/peer.ts";
import { answerIn } from "./support/script.ts";
import { setUp } from "./support/set-up.ts";

const newWorld = harnessWorlds();

const QUESTION = "Which port does the server use?";
const ANSWER = "8080, as the configuration says.";
const HANDOFF = {
  status: "the parser is done",
  next_action: "write its tests",
  artifacts: [{ path: "src/parser.ts", lines: [1, 40], role: "review" }],
  do_not: ["touch the grammar"],
};

describe.skipIf(!isInstalled("claude", "codex"))("Claude Code and Codex together", () => {
  it("hold and wait, ask and answer, hand over, and leave it all in the log", async () => {
    const world = newWorld();
    const { claude, codex } = DRIVERS;
    const state = world.tt("state --json 2>/dev/null");
    setUp(world, claude, codex);
    const turn = { lease_id: "$1.lease_id", expected_turn_id: "$1.turn_id" };
    world.script({
      hold: [
        claude.ours("wait_for_turn"),
        claude.shell(`until ${state} | grep -q '"waiting":true'; do sleep 0.1; done`),
        claude.ours("ask_peer", { to: "codex", body: QUESTION, timeout_ms: 60_000 }),
        claude.shell(`until ${state} | grep -q '"waiting":true'; do sleep 0.1; done`),
        claude.ours("release_stick", { ...turn, handoff: HANDOFF }),
      ],
      follow: [
        codex.shell(`until ${state} | grep -q '"owner":"claude'; do sleep 0.1; done`),
        codex.ours("wait_for_turn", { max_wait_ms: 60_000 }),
        codex.ours("reply_to_message", { message_id: "$mail", body: ANSWER }),
        codex.ours("wait_for_turn", { max_wait_ms: 60_000 }),
      ],
    });
    await Promise.all([claude.prompt(world, "<<script hold>>"), codex.prompt(world, "<<script follow>>")]);
    const [granted, , asked, , released] = world.answers("claude", "hold").map(answerIn);
    expect(granted).toMatchObject({ status: "your_turn", turn_id: 1 });
    expect(asked).toMatchObject({ timed_out: false, correlation: "correlated", reply: { body: ANSWER } });
    expect(released).toMatchObject({ status: "released", reserved_for: expect.stringMatching(/^codex:/) as string });
    const [, told, answered, taken] = world.answers("codex", "follow").map(answerIn);
    expect(told).toMatchObject({ status: "not_yet", messages: [{ body: QUESTION }] });
    expect(answered).toMatchObject({ deliveries: [{ to: expect.stringMatching(/^claude:/) as string }] });
    expect(taken).toMatchObject({ status: "your_turn", turn_id: 2, handoff: HANDOFF, reason: "sequence" });
    expect(world.isTold("codex", QUESTION)).toBe(true);
    await expectLogged(new Peer(world));
  });
});

/** In the order in which it happened. */
async function expectLogged(peer: Peer): Promise<void> {
  const { events } = (await peer.tt("events", "--limit", "200")) as { events: readonly Event[] };
  const story = events.map(({ event_type: type, from_agent_id: by }) => `${String(by).split(":")[0]} ${type}`);
  const wanted = ["claude claim", "claude message_sent", "codex message_sent", "claude release", "codex claim"];
  expect(story.filter((line) => wanted.includes(line))).toEqual(wanted);
  const release = events.find(({ event_type: type }) => type === "release");
  expect(JSON.stringify(release)).toContain("src/parser.ts");
}

interface Event {
  readonly event_type: string;
  readonly from_agent_id: string | null;
}
