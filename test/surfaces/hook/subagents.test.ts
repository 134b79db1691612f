/** How each harness shows that a subagent calls: in the environment of its commands, or with the call. */
import { describe, expect, test } from "vitest";
import { claudeCode, codex, opencode } from "../../../src/harness/registry.ts";

describe("Codex", () => {
  test("a subagent has a thread of its own in the session", () => {
    expect(codex.isSubagentInCall?.({ sessionId: "main", threadId: "child" })).toBe(true);
    expect(codex.isSubagentInCall?.({ sessionId: "main", threadId: "main" })).toBe(false);
    expect(codex.isSubagentIn?.({ CODEX_SESSION_ID: "main", CODEX_THREAD_ID: "child" })).toBe(true);
    expect(codex.isSubagentIn?.({ CODEX_SESSION_ID: "main", CODEX_THREAD_ID: "main" })).toBe(false);
    expect(codex.isSubagentIn?.({ CODEX_THREAD_ID: "main" })).toBe(false);
  });
});

describe("OpenCode", () => {
  test("our plugin names the subagent behind its session", () => {
    const [main, child] = [{ tt_session_id: "ses_1" }, { tt_session_id: "ses_1/ses_2" }];
    expect([main, child].map((meta) => opencode.sessionIdInCall?.(meta))).toEqual(["ses_1", "ses_1"]);
    expect([main, child].map((meta) => opencode.isSubagentInCall?.(meta))).toEqual([false, true]);
    expect(opencode.isSubagentIn?.({ TT_OPENCODE_SUBAGENT: "1" })).toBe(true);
    expect(opencode.isSubagentIn?.({})).toBe(false);
  });
});

describe("Claude Code", () => {
  const payload = { session_id: "s", prompt_id: "p", tool_use_id: "toolu_1", agent_id: "a1" };

  test("the hook of a subagent's tool and the call of that tool name the same use", () => {
    const ours = claudeCode.hooks.parse("pre-tool", { ...payload, tool_name: "mcp__talking-stick__read_my_messages" });
    expect(ours).toMatchObject({ isSubagent: true, toolUse: "toolu_1" });
    expect(claudeCode.toolUseInCall?.({ "claudecode/toolUseId": "toolu_1" })).toBe("toolu_1");
  });

  test("the use of another program's tool is none of ours", () => {
    expect(claudeCode.hooks.parse("pre-tool", { ...payload, tool_name: "Bash" })?.toolUse).toBeUndefined();
  });
});
