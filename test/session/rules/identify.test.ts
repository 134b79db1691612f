import { describe, expect, it, test } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { type ByReader, wordNext } from "../../../src/core/next.ts";
import type { RefusalCode } from "../../../src/core/refusal.ts";
import { isRefusal } from "../../../src/core/refusal.ts";
import { identify } from "../../../src/session/rules/identify.ts";
import { STRATEGIES } from "../../../src/session/rules/identity.ts";
import { type ClueOptions, clues, idOf, processWith, provisionalId, sight } from "../../support/session-clues.ts";

/** The environments of shell commands as the harnesses really make them. */
const CLAUDE = {
  CLAUDECODE: "1",
  CLAUDE_CODE_SESSION_ID: "1c2d3e4f-0000-4000-8000-000000000001",
  CLAUDE_PID: "99",
  CLAUDE_CODE_CHILD_SESSION: "1",
  AI_AGENT: "claude-code_2-1-325_agent",
};
const CODEX = {
  CODEX_THREAD_ID: "0199-thread",
  CODEX_SESSION_ID: "0199-session",
  CODEX_TOOL_CALL_ID: "call_1",
  CODEX_VERSION: "0.166.0",
  CODEX_CI: "1",
};
const SANDBOX = { CODEX_SANDBOX_NETWORK_DISABLED: "1" };
const GEMINI = { GEMINI_CLI: "1" };
const OPENCODE = { OPENCODE: "1", OPENCODE_PID: "99", AGENT: "1" };

function adviceOf(refused: ReturnType<typeof identify>["identity"], reader?: keyof ByReader): string {
  return isRefusal(refused) ? wordNext(refused.next, undefined, reader) : "";
}

/** A command is no call of an MCP client. */
const OF_A_COMMAND = STRATEGIES.filter((name) => name !== "call" && name !== "hook");
const SHELL = "bash -c tt whoami";
const claudeId = idOf("claude", CLAUDE.CLAUDE_CODE_SESSION_ID);
const codexId = idOf("codex", CODEX.CODEX_SESSION_ID);

type Expected = readonly [agentId: string, idSource: string, process: number | null, formerId?: string];

describe("a command of a harness is known", () => {
  const cases: readonly (readonly [title: string, given: ClueOptions, expected: Expected])[] = [
    [
      "Claude Code, by the session id in its environment",
      { env: CLAUDE, above: [SHELL, "claude"] },
      [claudeId, "environment", 99, provisionalId("claude", 99)],
    ],
    [
      "Claude Code, in the background after its shell has ended",
      { env: CLAUDE, above: ["/sbin/init"] },
      [claudeId, "environment", null],
    ],
    [
      "Claude Code without its environment, by its own file",
      { above: [SHELL, "claude"], records: { ownSessionId: CLAUDE.CLAUDE_CODE_SESSION_ID } },
      [claudeId, "session_file", 99, provisionalId("claude", 99)],
    ],
    [
      "codex exec, by its session and not by the thread",
      { env: CODEX, above: [SHELL, "codex exec hi", "node /usr/bin/codex"] },
      [codexId, "environment", 99, provisionalId("codex", 99)],
    ],
    [
      "an older Codex that names only the thread",
      { env: { CODEX_THREAD_ID: "0199-thread" }, above: ["codex"] },
      [idOf("codex", "0199-thread"), "environment", 100, provisionalId("codex", 100)],
    ],
    [
      "Codex in its sandbox, where no ancestor can be seen",
      { env: { ...CODEX, ...SANDBOX }, above: [SHELL, "codex-linux-sandbox -- bash"], complete: false },
      [codexId, "environment", null],
    ],
    [
      "Codex behind its daemon, whose process proves nothing",
      { env: CODEX, above: [SHELL, "codex app-server --listen unix://"], pane: "%1" },
      [codexId, "environment", null],
    ],
    [
      "Gemini CLI, by the card that a hook has left",
      { env: GEMINI, above: [SHELL, "node /usr/bin/gemini"], records: { card: card("gemini", "g-1") } },
      [idOf("gemini", "g-1"), "session_card", 99, provisionalId("gemini", 99)],
    ],
    [
      "Gemini CLI, by a claim",
      { env: GEMINI, above: [SHELL, "node /usr/bin/gemini"], records: { claim: card("gemini", "g-1") } },
      [idOf("gemini", "g-1"), "sticky_claim", 99, provisionalId("gemini", 99)],
    ],
    [
      "Gemini CLI, provisionally by the nearer of its two processes",
      { env: GEMINI, above: [SHELL, "node /usr/bin/gemini", "node /usr/bin/gemini"] },
      [provisionalId("gemini", 99), "ancestry", 99],
    ],
    [
      "Gemini CLI, if it names a session id",
      { env: { ...GEMINI, GEMINI_SESSION_ID: "g-1" }, above: ["node /usr/bin/gemini"] },
      [idOf("gemini", "g-1"), "environment", 100, provisionalId("gemini", 100)],
    ],
    [
      "OpenCode, by the variable of our plugin",
      { env: { ...OPENCODE, TT_OPENCODE_SESSION_ID: "ses_1" }, above: [SHELL, "opencode"] },
      [idOf("opencode", "ses_1"), "environment", null],
    ],
  ];

  test.each(cases)("%s", (_, given, [agentId, idSource, pid, formerId]) => {
    expect(identify(clues(given)).identity).toMatchObject({
      agentId,
      idSource,
      verified: idSource !== "ancestry",
      isPerson: false,
      process: pid === null ? null : processWith(pid),
      formerId: formerId ?? null,
    });
  });

  it("by the same id with the environment, with the harness's file, with a card and with a claim", () => {
    const sessionId = CLAUDE.CLAUDE_CODE_SESSION_ID;
    const above = [SHELL, "claude"];
    const ids = [
      { env: CLAUDE, above },
      { above, records: { ownSessionId: sessionId } },
      { above, records: { card: card("claude", sessionId) } },
      { above, records: { claim: card("claude", sessionId) } },
    ].map((given) => agentIdOf(given));
    expect(new Set(ids)).toEqual(new Set([claudeId]));
  });

  it("by another id in a second session of the same harness", () => {
    const second = sight("claude", 55);
    expect(agentIdOf({ above: [SHELL, "claude"] })).not.toBe(agentIdOf({ above: [SHELL, second] }));
  });

  it("with its tmux pane, unless the environment is that of the process that started the daemon", () => {
    const pane = "%7";
    expect(identify(clues({ env: CLAUDE, above: ["claude"], pane })).identity).toMatchObject({ tmuxPane: pane });
    const daemon = identify(clues({ env: CODEX, above: ["codex app-server"], pane }));
    expect(daemon.identity).toMatchObject({ tmuxPane: null });
  });
});

describe("of nested harnesses the nearest counts, even if an old number in the environment is now its own", () => {
  const cases: readonly (readonly [title: string, given: ClueOptions, agentId: string])[] = [
    [
      "Codex run by Claude Code",
      { env: { ...CLAUDE, ...CODEX }, above: [SHELL, "codex exec hi", "bash -c codex", "claude"] },
      codexId,
    ],
    [
      "Claude Code run by Codex",
      { env: { ...CODEX, ...CLAUDE }, above: [SHELL, "claude -p hi", "bash -c claude", "codex"] },
      claudeId,
    ],
    [
      "Gemini CLI run by Claude Code, whose session id it inherits",
      { env: { ...CLAUDE, ...GEMINI, CLAUDE_PID: "97" }, above: [SHELL, "node /usr/bin/gemini", SHELL, "claude"] },
      provisionalId("gemini", 99),
    ],
    [
      "Codex's helper below Claude Code",
      { env: { ...CLAUDE, ...CODEX, CLAUDE_PID: "98" }, above: [SHELL, "codex-linux-sandbox -- bash", "claude"] },
      codexId,
    ],
    [
      "Claude Code run by Claude Code",
      { env: { ...CLAUDE, CLAUDE_PID: "99" }, above: [SHELL, "claude", "claude"] },
      claudeId,
    ],
  ];

  test.each(cases)("%s", (_, given, agentId) => {
    expect(agentIdOf(given)).toBe(agentId);
  });
});

describe("ambiguity is no identity", () => {
  const cases: readonly (readonly [title: string, given: ClueOptions, reason: string])[] = [
    [
      "two harnesses in the environment and no ancestor to be seen",
      { env: { ...CLAUDE, ...CODEX }, complete: false },
      "claude and codex have set variables in the environment, and no ancestor shows which one is nearer",
    ],
    [
      "OpenCode without our plugin",
      { env: OPENCODE, above: [SHELL, "opencode"], records: { card: card("opencode", "ses_1") } },
      "opencode names no session id in the environment",
    ],
    [
      "Gemini CLI in a sandbox",
      { env: GEMINI, above: ["bash"], complete: false },
      "gemini names no session id in the environment",
    ],
    [
      "a terminal that was opened from inside a session and is no part of it",
      { env: { ...CLAUDE, CLAUDE_PID: "7" }, above: ["-bash", "tmux: server", "/sbin/init"], tty: true },
      "this terminal has inherited the variables of claude but is not a child of it",
    ],
    [
      "a session id that cannot be one",
      { env: { ...CODEX, CODEX_SESSION_ID: "a b", CODEX_THREAD_ID: "/" }, complete: false },
      "codex names no session id in the environment",
    ],
  ];

  test.each(cases)("%s", (_, given, reason) => {
    const { identity, strategies, next } = identify(clues(given));
    expect(isRefusal(identity) && identity.error).toBe("agent_id_required");
    expect(strategies.find(({ name }) => name === "environment")?.reason).toBe(reason);
    expect(next && wordNext(next)).toContain("--agent");
  });

  it("where one process serves many sessions: a claim and a card are not believed", () => {
    for (const process of ["codex app-server", "opencode"]) {
      const harness = process.split(" ")[0] as string;
      const records = { card: card(harness, "x"), claim: card(harness, "x"), ownSessionId: "x" };
      const { identity, anchor } = identify(clues({ above: [process], records }));
      expect(codeOf(identity)).toBe("agent_id_required");
      expect(anchor).toBeNull();
    }
  });

  it("a card of another harness", () => {
    const given = { above: ["claude"], records: { card: card("gemini", "g-1") } };
    expect(identify(clues(given)).identity).toMatchObject({ idSource: "ancestry" });
  });
});

describe("without a harness", () => {
  it("a terminal is the person's, the same in all of them", () => {
    const { identity } = identify(clues({ above: ["-bash", "/sbin/init"], tty: true, leader: "-bash", pane: "%3" }));
    expect(identity).toEqual({
      agentId: "human:ada",
      harness: "human",
      sessionId: null,
      idSource: "person",
      verified: true,
      isPerson: true,
      process: null,
      tmuxPane: "%3",
      formerId: null,
    });
  });

  it("on a shared store the person's machine belongs to the name", () => {
    expect(agentIdOf({ tty: true, shared: true })).toBe("human:ada@engine");
  });

  it("no terminal, but an interactive shell that leads the session, is that shell and no person", () => {
    const given = { leader: "-zsh" };
    expect(identify(clues(given)).identity).toMatchObject({
      agentId: provisionalId("shell", 50),
      isPerson: false,
      verified: false,
    });
  });

  it("neither of them is refused, with the way out", () => {
    const { identity } = identify(clues({ leader: "sh -c tt" }));
    expect(identity).toMatchObject({ error: "agent_id_required" });
    expect(adviceOf(identity)).toContain("--agent");
    expect(adviceOf(identity, "server")).toMatch(/^Ask the person .* where this server is set up/);
  });

  it("a claimed terminal is the claimed session", () => {
    const given = { tty: true, leader: "-bash", records: { claim: card("aider", "a-1") } };
    expect(identify(clues(given)).identity).toMatchObject({
      agentId: idOf("aider", "a-1"),
      isPerson: false,
      formerId: null,
    });
  });
});

describe("a name that was given", () => {
  const other = idOf("codex", "other");
  const inClaude = { env: CLAUDE, above: ["claude"] };

  it("counts where no session is detected", () => {
    expect(identify(clues({ named: { agentId: other } })).identity).toMatchObject({
      agentId: other,
      harness: "codex",
      idSource: "explicit",
      isPerson: false,
      process: null,
    });
  });

  it("at a terminal is given by a person", () => {
    expect(identify(clues({ tty: true, named: { agentId: other } })).identity).toMatchObject({ isPerson: true });
  });

  it("has the process that TT_AGENT_PID names", () => {
    const given = { named: { agentId: other }, namedProcess: processWith(5) };
    expect(identify(clues(given)).identity).toMatchObject({ process: processWith(5) });
  });

  it("inside a session is refused, for every person", () => {
    for (const agentId of [other, asAgentId("human:ada"), asAgentId("me:new")]) {
      const { identity, strategies } = identify(clues({ ...inClaude, tty: true, named: { agentId } }));
      expect(identity).toMatchObject({
        error: "not_authorized",
        facts: { agent_id: claudeId, named_agent_id: agentId },
      });
      expect(adviceOf(identity)).toBe(`Go on without --agent: you are known as ${claudeId}.`);
      expect(adviceOf(identity, "server")).not.toContain("--agent");
      expect(strategies).toHaveLength(OF_A_COMMAND.length);
    }
  });

  it("inside a session where it merely lies about is passed over, unless it is another session's", () => {
    const lying = { agentId: other, source: "TT_AGENT_ID", typed: false };
    const { identity, strategies } = identify(clues({ ...inClaude, named: lying }));
    expect(identity).toMatchObject({ agentId: claudeId });
    expect(strategies[0]).toMatchObject({
      name: "explicit",
      outcome: "abstain",
      reason: expect.stringContaining(other),
    });
    expect(codeOf(identify(clues({ ...inClaude, named: { ...lying, isSession: true } })).identity)).toBe(
      "not_authorized",
    );
  });

  it("inside a provisional session is refused as well", () => {
    const given = { env: GEMINI, above: ["node /usr/bin/gemini"], named: { agentId: other } };
    expect(codeOf(identify(clues(given)).identity)).toBe("not_authorized");
  });

  it("inside a session, its own or its former one, is the session itself", () => {
    for (const agentId of [claudeId, provisionalId("claude", 100)]) {
      const { identity } = identify(clues({ ...inClaude, named: { agentId } }));
      expect(identity).toMatchObject({ agentId: claudeId, sessionId: CLAUDE.CLAUDE_CODE_SESSION_ID, verified: true });
    }
  });

  it("inside a session that was superseded, its own or its successor's, is the session itself", () => {
    const now = asAgentId("claude:later");
    for (const given of [claudeId, now]) {
      const named = { given, agentId: now, callerIsNow: now, typed: true, isSession: false };
      expect(agentIdOf({ ...inClaude, named })).toBe(claudeId);
    }
  });

  it("of a person is refused to every harness, also to one whose session cannot be told", () => {
    const named = { agentId: asAgentId("human:ada") };
    for (const given of [{ above: ["opencode"] }, { env: { ...CLAUDE, ...CODEX }, complete: false }]) {
      expect(codeOf(identify(clues({ ...given, named })).identity)).toBe("not_authorized");
      expect(agentIdOf({ ...given, named: { agentId: asAgentId("me:a") } })).toBe("me:a");
    }
    expect(agentIdOf({ named })).toBe("human:ada");
    expect(agentIdOf({ env: CLAUDE, tty: true, named })).toBe("human:ada");
  });

  it("where a session was claimed is refused with the way to undo the claim", () => {
    const records = { claim: { harness: "agent", sessionId: "abc" } };
    const { identity } = identify(clues({ tty: true, leader: "bash", records, named: { agentId: other } }));
    expect(identity).toMatchObject({ error: "not_authorized" });
    expect(adviceOf(identity)).toContain("tt claim --forget");
  });
});

describe("the explanation", () => {
  it("has every strategy, in order, each with a reason", () => {
    for (const given of [{ env: CLAUDE, above: ["claude"] }, { tty: true }, {}]) {
      const { strategies } = identify(clues(given));
      expect(strategies.map(({ name }) => name)).toEqual(OF_A_COMMAND);
      expect(strategies.every(({ reason }) => reason.length > 0)).toBe(true);
    }
  });

  it("of a provisional identity says how to be known by the session id", () => {
    expect(identify(clues({ above: ["node /usr/bin/gemini"] })).next).toContainEqual({ do: "claim_session" });
    expect(identify(clues({ env: CLAUDE, above: ["claude"] })).next).toBeUndefined();
  });
});

function card(harness: string, sessionId: string) {
  return { harness, sessionId, transcriptPath: null };
}

function agentIdOf(given: ClueOptions): string {
  const { identity } = identify(clues(given));
  return isRefusal(identity) ? identity.error : identity.agentId;
}

function codeOf(identity: unknown): RefusalCode | "accepted" {
  return isRefusal(identity) ? identity.error : "accepted";
}
