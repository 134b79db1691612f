/** What a caller said about a process on purpose, beside what else is known of it. */
import { describe, expect, it, test } from "vitest";
import { identify } from "../../../src/session/rules/identify.ts";
import { type ClueOptions, clues, idOf, processWith } from "../../support/session-clues.ts";

const CLAUDE = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: "1c2d3e4f-0000-4000-8000-000000000001", CLAUDE_PID: "99" };
const SHELL = "bash -c tt whoami";
const claudeId = idOf("claude", CLAUDE.CLAUDE_CODE_SESSION_ID);

describe("a claim", () => {
  const above = [SHELL, "claude"];
  const records = { claim: card("claude", "claimed") };
  const claimedId = idOf("claude", "claimed");
  const call = { clientName: "codex-mcp-client", meta: { sessionId: "0199-session" } };

  test.each<readonly [string, ClueOptions]>([
    ["the environment", { env: CLAUDE, above, records }],
    ["the harness's own file", { above, records: { ...records, ownSessionId: "another" } }],
    ["both", { env: CLAUDE, above, records: { ...records, ownSessionId: "another" } }],
  ])("is not changed by what %s says later", (_, given) => {
    const { identity, strategies, told } = identify(clues(given));
    expect(identity).toMatchObject({ agentId: claimedId, idSource: "sticky_claim", process: processWith(99) });
    expect(strategies.filter(({ outcome }) => outcome === "hit").map(({ name }) => name)).toEqual([
      "sticky_claim",
      "ancestry",
    ]);
    const passedOver = strategies.filter(({ reason }) => reason.includes("but session claimed was claimed here"));
    expect(passedOver.map(({ name }) => name)).toContain(told?.idSource);
    expect(told?.sessionId).not.toBe("claimed");
  });

  it("is not changed by what comes with later calls of an MCP client", () => {
    const given = { above: ["codex"], call, records: { claim: card("codex", "claimed") } };
    expect(identify(clues(given)).identity).toMatchObject({ agentId: idOf("codex", "claimed") });
  });

  it("that agrees with the harness is not needed", () => {
    const agreeing = { claim: card("claude", CLAUDE.CLAUDE_CODE_SESSION_ID) };
    expect(identify(clues({ env: CLAUDE, above, records: agreeing })).identity).toMatchObject({
      agentId: claudeId,
      idSource: "environment",
    });
  });

  it("is over when a hook has told of another session of the process", () => {
    const started = { ...records, card: card("claude", CLAUDE.CLAUDE_CODE_SESSION_ID) };
    expect(identify(clues({ above, records: started })).identity).toMatchObject({ idSource: "session_card" });
    expect(identify(clues({ env: CLAUDE, above, records: started })).identity).toMatchObject({
      agentId: claudeId,
      idSource: "environment",
    });
  });

  it("says nothing about a hook, which is told whose it is", () => {
    const hook = { harness: "claude", sessionId: CLAUDE.CLAUDE_CODE_SESSION_ID };
    expect(identify({ ...clues({ env: CLAUDE, above, records }), hook }).identity).toMatchObject({ idSource: "hook" });
  });

  it("lets no other name count than its own", () => {
    const given = { env: CLAUDE, above, records };
    expect(identify(clues({ ...given, named: { agentId: claimedId } })).identity).toMatchObject({ agentId: claimedId });
    expect(identify(clues({ ...given, named: { agentId: claudeId } })).identity).toMatchObject({
      error: "not_authorized",
    });
  });
});

function card(harness: string, sessionId: string) {
  return { harness, sessionId, transcriptPath: null };
}
