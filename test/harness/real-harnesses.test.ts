/** The real Claude Code and the real Codex, at work with our MCP server. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifies } from "../promises/verifies.ts";
import { type Bundle, bundleFixture } from "../support/fixture.ts";
import { idOf } from "../support/session-clues.ts";
import { ClaudeSession } from "./support/claude-session.ts";
import { runCodex } from "./support/codex-session.ts";
import { HarnessWorld, programOf } from "./support/harness-world.ts";
import { answerIn, type Scripts, type Step } from "./support/script.ts";

const installed = programOf("claude") !== null && programOf("codex") !== null;
if (!installed) process.stderr.write("\nSKIPPED: tests with real harnesses: npm run test:harness installs them\n\n");

let model: Bundle;
beforeAll(async () => {
  model = await bundleFixture("test/harness/fixtures/model.ts");
});
afterAll(() => model.remove());

const HANDOFF = { status: "the parser is done", next_action: "write its tests" };

/** A tool of ours as each harness names it. */
function inClaude(tool: string, input: NonNullable<Step["input"]> = {}): Step {
  return { tool: `mcp__talking-stick__${tool}`, input };
}
function inCodex(tool: string, input: NonNullable<Step["input"]> = {}): Step {
  return { namespace: "mcp__talking_stick", tool, input };
}
const claudeShell = (command: string): Step => ({ tool: "Bash", input: { command, description: "a command" } });
const codexShell = (cmd: string): Step => ({ tool: "exec_command", input: { cmd } });

function whoAmI(world: HarnessWorld): { readonly claude: Scripts; readonly codex: Scripts } {
  const whoami = world.tt("whoami --json");
  return {
    claude: { who: [inClaude("get_my_session"), claudeShell(whoami)] },
    codex: { who: [inCodex("get_my_session"), codexShell(whoami)] },
  };
}

/** A hook that writes down what it is told on standard input. */
function recording(world: HarnessWorld, event: string): object {
  const command = `cat > '${join(world.root, "hook.json")}'`;
  return { [event]: [{ hooks: [{ type: "command", command }] }] };
}

function hookSessionId(world: HarnessWorld): string {
  return (JSON.parse(readFileSync(join(world.root, "hook.json"), "utf8")) as { session_id: string }).session_id;
}

describe.skipIf(!installed)("Claude Code", () => {
  verifies("H2", "Claude Code's MCP call, shell and hook, before and after /clear", async () => {
    const world = new HarnessWorld(model);
    const session = new ClaudeSession(world, whoAmI(world).claude, recording(world, "UserPromptSubmit"));
    await session.prompt("<<script who>>");
    const before = session.answers.map(agentIdIn);
    expect(before).toEqual(Array(2).fill(idOf("claude", hookSessionId(world))));
    await session.prompt("/clear");
    await session.prompt("<<script who>>");
    const after = session.answers.slice(2).map(agentIdIn);
    expect(after).toEqual(Array(2).fill(idOf("claude", hookSessionId(world))));
    expect(after[0]).not.toBe(before[0]);
    expect(await session.end()).toBe(0);
  });

  it("shows its model the tools and the instructions, and lets it use them", async () => {
    const world = new HarnessWorld(model);
    const turn = { lease_id: "$1.lease_id", expected_turn_id: "$1.turn_id" };
    const session = new ClaudeSession(world, {
      work: [
        inClaude("wait_for_turn"),
        inClaude("send_message", { body: "I have the stick." }),
        inClaude("read_my_messages"),
        inClaude("release_stick", { ...turn, handoff: HANDOFF }),
        inClaude("release_stick", { ...turn, handoff: HANDOFF }),
      ],
    });
    await session.prompt("<<script work>>");
    expect(session.tools).toContain("mcp__talking-stick__wait_for_turn");
    expect(JSON.stringify(world.requests("claude"))).toContain("whoever holds the stick");
    expect(session.answers.map(answerIn)).toMatchObject([
      { status: "your_turn", turn_id: 1 },
      { deliveries: [] },
      { count: 0 },
      { status: "released" },
      { error: "stale_lease" },
    ]);
    expect(await session.end()).toBe(0);
  });
});

describe.skipIf(!installed)("Codex", () => {
  verifies("H2", "Codex's MCP call, sandboxed shell and hook", async () => {
    const world = new HarnessWorld(model);
    const hooks = recording(world, "UserPromptSubmit");
    const { answers, threadId } = await runCodex(world, "<<script who>>", whoAmI(world).codex, hooks);
    const id = idOf("codex", hookSessionId(world));
    expect(answers.map(agentIdIn)).toEqual([id, id]);
    expect(id).toBe(idOf("codex", threadId));
  });

  it("shows its model the tools and the instructions, and lets it use them unattended", async () => {
    const world = new HarnessWorld(model);
    const turn = { lease_id: "$1.lease_id", expected_turn_id: "$1.turn_id" };
    const { answers } = await runCodex(world, "<<script work>>", {
      work: [
        inCodex("wait_for_turn"),
        inCodex("send_message", { body: "I have the stick." }),
        inCodex("read_my_messages"),
        inCodex("kick_member", { target_agent_id: "nobody" }),
        inCodex("release_stick", { ...turn, handoff: HANDOFF }),
      ],
    });
    const offered = JSON.stringify(world.requests("codex")[0]);
    expect(offered).toContain("mcp__talking_stick");
    expect(offered).toContain("whoever holds the stick");
    expect(answers.map(answerIn)).toMatchObject([
      { status: "your_turn", turn_id: 1 },
      { deliveries: [] },
      { count: 0 },
      { next: expect.stringMatching(/\S/) },
      { status: "released" },
    ]);
  });
});

describe.skipIf(!installed)("Claude Code and Codex together", () => {
  it("hand the stick on, ask and answer", async () => {
    const world = new HarnessWorld(model);
    const state = world.tt("state --json");
    const claude = new ClaudeSession(world, {
      work: [
        inClaude("wait_for_turn"),
        claudeShell(`until ${state} | grep -q '"waiting":true'; do sleep 0.1; done`),
        inClaude("release_stick", { lease_id: "$1.lease_id", expected_turn_id: "$1.turn_id", handoff: HANDOFF }),
        inClaude("ask_peer", { to: "codex", body: "Have you got it?", timeout_ms: 30_000 }),
      ],
    });
    const asking = claude.prompt("<<script work>>");
    const codex = await runCodex(world, "<<script work>>", {
      work: [
        codexShell(`until ${state} | grep -q '"owner":"claude'; do sleep 0.1; done`),
        inCodex("wait_for_turn", { max_wait_ms: 30_000 }),
        inCodex("wait_for_events", { after_event_seq: 0, event_type: ["message_sent"], max_wait_ms: 30_000 }),
        inCodex("read_my_messages"),
        inCodex("reply_to_message", { message_id: "$4.messages.0.message_id", body: "Yes: write its tests." }),
      ],
    });
    await asking;
    expect(codex.answers.slice(1).map(answerIn)).toMatchObject([
      { status: "your_turn", handoff: HANDOFF, reason: "sequence" },
      { events: [{ event_type: "message_sent" }] },
      { count: 1, messages: [{ harness: "claude", body: "Have you got it?" }] },
      { deliveries: [{}] },
    ]);
    expect(answerIn(claude.answers.at(-1) ?? "")).toMatchObject({
      timed_out: false,
      correlation: "correlated",
      reply: { body: "Yes: write its tests." },
    });
    expect(await claude.end()).toBe(0);
  });
});

function agentIdIn(answer: string): unknown {
  return (answerIn(answer) as { agent_id?: unknown } | null)?.agent_id;
}
