/** Who makes a call of the MCP server: a process that lives long, while sessions come and go around it. */
import { describe, expect, it, test } from "vitest";
import { isRefusal } from "../../../src/core/refusal.ts";
import type { CallEvidence } from "../../../src/session/rules/evidence.ts";
import { identify } from "../../../src/session/rules/identify.ts";
import { type ClueOptions, clues, idOf, provisionalId, sight } from "../../support/session-clues.ts";

/** The environments in which the four harnesses start MCP servers, and what their clients send along, as recorded. */
const CLAUDE = {
  env: {
    CLAUDECODE: "1",
    CLAUDE_CODE_SESSION_ID: "1c2d3e4f-0000-4000-8000-000000000001",
    CLAUDE_PROJECT_DIR: "/home/ada/tree",
    CLAUDE_CODE_ENTRYPOINT: "cli",
    AI_AGENT: "claude-code_2-1-325_harness",
  },
  above: ["claude"],
  call: called("claude-code", { progressToken: 1, "claudecode/toolUseId": "toolu_1" }),
};
const CODEX = {
  env: { HOME: "/root", LANG: "C.UTF-8", PATH: "/usr/bin", SHELL: "/bin/bash", TERM: "xterm", USER: "root" },
  above: ["codex exec hi"],
  call: called("codex-mcp-client", {
    progressToken: 0,
    callId: "call_1",
    threadId: "0199-thread",
    sessionId: "0199-session",
    "x-codex-turn-metadata": { turn_id: "1" },
  }),
};
const GEMINI = {
  env: { GEMINI_CLI: "1", TMUX_PANE: "%3" },
  above: ["node /usr/bin/gemini", "node /usr/bin/gemini"],
  call: called("gemini-cli-mcp-client", { progressToken: 1 }),
};
const OPENCODE = {
  env: { OPENCODE: "1", OPENCODE_PID: "100", AGENT: "1" },
  above: ["opencode"],
  call: called("opencode", { progressToken: 1 }),
};
const NOTHING = called("codex-mcp-client", {});
const DAEMON = { ...CODEX, above: ["codex app-server --listen unix://"] };
const started = CLAUDE.env.CLAUDE_CODE_SESSION_ID;

describe("a call is known", () => {
  const cases: readonly (readonly [title: string, given: ClueOptions, agentId: string, idSource: string])[] = [
    ["Claude Code, by the environment it was started in", CLAUDE, idOf("claude", started), "environment"],
    [
      "Claude Code after /clear, by its own file and not by the old environment",
      { ...CLAUDE, records: { ownSessionId: "after-clear" } },
      idOf("claude", "after-clear"),
      "session_file",
    ],
    [
      "Claude Code after /clear, by the card of its hook and not by the old environment",
      { ...CLAUDE, records: { card: record("claude", "after-clear") } },
      idOf("claude", "after-clear"),
      "session_card",
    ],
    ["codex exec, by what came with the call", CODEX, idOf("codex", "0199-session"), "call"],
    ["Codex behind its daemon, by what came with the call", DAEMON, idOf("codex", "0199-session"), "call"],
    [
      "an older Codex, by the thread",
      { ...DAEMON, call: called("codex-mcp-client", { threadId: "0199-thread" }) },
      idOf("codex", "0199-thread"),
      "call",
    ],
    [
      "Codex out of sight, by the name of its client",
      { ...CODEX, above: ["/sbin/init"] },
      idOf("codex", "0199-session"),
      "call",
    ],
    ["Gemini CLI, provisionally by the nearer of its processes", GEMINI, provisionalId("gemini", 100), "ancestry"],
    [
      "Gemini CLI, by the card of its hook",
      { ...GEMINI, records: { card: record("gemini", "g-1") } },
      idOf("gemini", "g-1"),
      "session_card",
    ],
    [
      "Gemini CLI, by a claim",
      { ...GEMINI, records: { claim: record("gemini", "g-1") } },
      idOf("gemini", "g-1"),
      "sticky_claim",
    ],
    [
      "OpenCode, by what our plugin added to the call",
      { ...OPENCODE, call: called("opencode", { progressToken: 1, tt_session_id: "ses_1" }) },
      idOf("opencode", "ses_1"),
      "call",
    ],
  ];

  test.each(cases)("%s", (_, given, agentId, idSource) => {
    expect(identify(clues(given)).identity).toMatchObject({ agentId, idSource, verified: idSource !== "ancestry" });
  });

  it("by the strongest evidence there is, and by the next one when that is missing", () => {
    const codex = { above: ["codex"], env: { CODEX_SESSION_ID: "environment" } };
    const records = { ownSessionId: "file", card: record("codex", "card"), claim: record("codex", "claim") };
    const evidence: readonly ClueOptions[] = [
      { ...codex, records, call: called("codex-mcp-client", { sessionId: "call" }) },
      { ...codex, records, call: NOTHING },
      { ...codex, records: { ...records, ownSessionId: null }, call: NOTHING },
      { ...codex, call: NOTHING },
      { above: ["codex"], records: { claim: records.claim }, call: NOTHING },
      { above: ["codex"], call: NOTHING },
    ];
    expect(evidence.map((given) => identityOf(given).sessionId)).toEqual([
      "call",
      "file",
      "card",
      "environment",
      "claim",
      null,
    ]);
  });

  it("in the order in which it is explained", () => {
    const names = identify(clues(CLAUDE)).strategies.map(({ name }) => name);
    const order = ["call", "session_file", "session_card", "environment", "sticky_claim", "ancestry"];
    expect(names).toEqual(["explicit", ...order, "person", "session_leader"]);
  });
});

describe("one session is one identity", () => {
  it("in Claude Code's MCP call, its shell and its hooks, before and after /clear", () => {
    const shell = (id: string) => ({ ...CLAUDE.env, CLAUDE_CODE_SESSION_ID: id, CLAUDE_PID: "99" });
    const before = [
      identityOf({ ...CLAUDE, records: { ownSessionId: started } }),
      identityOf({ env: shell(started), above: ["bash -c tt", "claude"] }),
      identityOf({ env: shell(started), above: ["sh -c hook", "claude"] }),
    ];
    expect(new Set(before.map(({ agentId }) => agentId)).size).toBe(1);
    const later = [
      identityOf({ ...CLAUDE, records: { ownSessionId: "after" } }),
      identityOf({ env: shell("after"), above: ["bash -c tt", "claude"] }),
    ];
    expect(new Set(later.map(({ agentId }) => agentId))).toEqual(new Set([idOf("claude", "after")]));
  });

  it("in Codex's MCP call, its sandboxed shell and its hooks", () => {
    const shell = { CODEX_THREAD_ID: "0199-thread", CODEX_SESSION_ID: "0199-session", CODEX_CI: "1" };
    const ids = [
      identityOf(DAEMON),
      identityOf({ env: shell, above: ["bash", "codex-linux-sandbox -- bash"], complete: false }),
      // A hook is told the session id on standard input, and has it from nowhere else.
      { agentId: idOf("codex", "0199-session") },
    ];
    expect(new Set(ids.map(({ agentId }) => agentId)).size).toBe(1);
  });

  it("in Gemini CLI's MCP call and its shell, with and without a card", () => {
    const gemini = sight("node /usr/bin/gemini", 90);
    for (const records of [{}, { card: record("gemini", "g-1") }]) {
      const mcp = identityOf({ ...GEMINI, above: [gemini], records });
      const shell = identityOf({ env: GEMINI.env, above: ["bash -c tt", gemini], records });
      expect(mcp.agentId).toBe(shell.agentId);
    }
  });

  it("in every server that the session has", () => {
    const user = identityOf({ ...CODEX, above: ["codex exec hi"] });
    const project = identityOf({ ...CODEX, above: ["sh -c tt mcp", "codex exec hi"] });
    expect(user.agentId).toBe(project.agentId);
  });
});

describe("two sessions are never one", () => {
  it("over one daemon, for each caller", () => {
    const stale = { card: record("codex", "a"), claim: record("codex", "a"), ownSessionId: "a" };
    expect(overDaemon("a").agentId).not.toBe(overDaemon("b").agentId);
    expect(overDaemon("b", stale)).toMatchObject({ agentId: idOf("codex", "b"), process: null, formerId: null });
  });

  it("over one daemon when the call names none: nobody is guessed", () => {
    const stale = { card: record("codex", "a"), claim: record("codex", "a"), ownSessionId: "a" };
    const { identity } = identify(clues({ ...DAEMON, call: called("codex-mcp-client", {}), records: stale }));
    expect(isRefusal(identity) && identity.error).toBe("agent_id_required");
  });

  it("over one server of OpenCode", () => {
    const { identity, anchor } = identify(clues(OPENCODE));
    expect(isRefusal(identity) && identity.error).toBe("agent_id_required");
    expect(anchor).toBeNull();
  });

  it("when an inner harness has inherited the environment of an outer one", () => {
    const inner = { ...CODEX, env: { ...CODEX.env, ...CLAUDE.env }, above: ["codex exec hi", "bash", "claude"] };
    expect(identityOf(inner)).toMatchObject({ agentId: idOf("codex", "0199-session") });
    const silent = { ...inner, call: called("codex-mcp-client", {}) };
    expect(identityOf(silent)).toMatchObject({ agentId: provisionalId("codex", 100) });
  });
});

describe("what a client says is believed only if it can be a session id", () => {
  test.each([["../x"], [""], [7], [null], [{}], ["a".repeat(129)]])("%j", (sessionId) => {
    const { identity } = identify(clues({ ...DAEMON, call: called("codex-mcp-client", { sessionId }) }));
    expect(isRefusal(identity)).toBe(true);
  });

  it("and only from a client that is known to send it", () => {
    const foreign = { ...CLAUDE, call: called("claude-code", { sessionId: "another-session", threadId: "x" }) };
    expect(identityOf(foreign).agentId).toBe(idOf("claude", started));
    const unknown = identify(clues({ call: called("some-client", { sessionId: "x" }) }));
    expect(isRefusal(unknown.identity)).toBe(true);
  });
});

function called(clientName: string, meta: CallEvidence["meta"]): CallEvidence {
  return { clientName, meta };
}

function record(harness: string, sessionId: string) {
  return { harness, sessionId, transcriptPath: null };
}

function overDaemon(sessionId: string, records: ClueOptions["records"] = {}) {
  return identityOf({ ...DAEMON, call: called("codex-mcp-client", { sessionId, threadId: sessionId }), records });
}

function identityOf(given: ClueOptions) {
  const { identity } = identify(clues(given));
  if (isRefusal(identity)) throw new Error(identity.message);
  return identity;
}
