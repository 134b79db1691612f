/** Payloads as the real programs wrote them, and the shapes in which they were seen to understand an answer. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { HookPayload } from "../../../src/harness/contract.ts";
import { harnessNamed } from "../../../src/harness/harnesses.ts";
import type { HookEvent } from "../../../src/hooks/rules/hook.ts";

type HarnessName = "claude" | "codex" | "gemini";

const OURS: Readonly<Record<string, HookEvent>> = {
  SessionStart: "session-start",
  UserPromptSubmit: "prompt",
  BeforeAgent: "prompt",
  PreToolUse: "pre-tool",
  AfterTool: "post-tool",
  Stop: "stop",
  AfterAgent: "stop",
  SessionEnd: "session-end",
};

function recorded(harness: HarnessName): readonly (readonly [HookEvent, HookPayload])[] {
  const path = join(import.meta.dirname, "../../hook/fixtures", `${harness}.jsonl`);
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return lines.map((line) => {
    const payload = JSON.parse(line) as HookPayload;
    return [OURS[String(payload["hook_event_name"])] as HookEvent, payload];
  });
}

function dialect(harness: string) {
  const found = harnessNamed(harness)?.hooks;
  if (!found) throw new Error(`no dialect of ${harness}`);
  return found;
}

describe.each(["claude", "codex", "gemini"] as const)("%s", (harness) => {
  const calls = recorded(harness).map(([event, payload]) => ({
    payload,
    call: dialect(harness).parse(event, payload),
  }));

  test("every recorded payload is understood", () => {
    expect(calls.length).toBeGreaterThan(4);
    for (const { payload, call } of calls) {
      expect(call).toMatchObject({
        harness,
        sessionId: payload["session_id"],
        cwd: "/home/ada/notes",
        transcriptPath: expect.stringMatching(/^\/home\/ada\/\..*\.jsonl$/),
        stopHookActive: false,
        isSubagent: payload["agent_id"] !== undefined,
      });
    }
    expect(calls.find(({ call }) => call?.event === "session-start")?.call?.source).toBe("startup");
    expect(calls.find(({ call }) => call?.event === "session-end")?.call?.reason).toMatch(/^(other|exit)$/);
  });

  test.each([{}, { session_id: 7 }, { session_id: "../x" }, { session_id: "" }])(
    "%j is no payload of it",
    (payload) => {
      expect(dialect(harness).parse("prompt", payload)).toBeNull();
    },
  );

  test("nothing to say is said by printing nothing", () => {
    for (const event of new Set(Object.values(OURS))) {
      expect(dialect(harness).render(event, {})).toBe("");
      expect(dialect(harness).render(event, { context: "", goOn: "" })).toBe("");
    }
    expect(dialect(harness).render("session-end", { context: "bye" })).toBe("");
  });
});

test("a subagent of Claude Code is known by its id", () => {
  expect(recorded("claude").filter(([, payload]) => payload["agent_id"] !== undefined)).toHaveLength(1);
});

describe("what is said, in each harness's shape", () => {
  test.each([
    ["claude", "session-start", "SessionStart"],
    ["claude", "prompt", "UserPromptSubmit"],
    ["claude", "post-tool", "PostToolBatch"],
    ["codex", "session-start", "SessionStart"],
    ["codex", "prompt", "UserPromptSubmit"],
    ["codex", "pre-tool", "PreToolUse"],
    ["gemini", "session-start", "SessionStart"],
    ["gemini", "prompt", "BeforeAgent"],
    ["gemini", "post-tool", "AfterTool"],
  ] as const)("%s at %s", (harness, event, hookEventName) => {
    expect(JSON.parse(dialect(harness).render(event, { context: "x" }))).toEqual({
      hookSpecificOutput: { hookEventName, additionalContext: "x" },
    });
  });

  test.each([
    ["codex", "block"],
    ["gemini", "deny"],
  ])("%s lets a turn go on", (harness, decision) => {
    expect(JSON.parse(dialect(harness).render("stop", { goOn: "x" }))).toEqual({ decision, reason: "x" });
  });

  test("claude shows nothing before a tool, because that is dropped when the tool is rejected", () => {
    expect(dialect("claude").parse("pre-tool", { session_id: "s" })?.maxCharacters).toBe(0);
    expect(dialect("claude").render("pre-tool", { context: "x" })).toBe("");
  });

  test("claude lets a turn go on by a context, which is shown once", () => {
    expect(JSON.parse(dialect("claude").render("stop", { goOn: "x" }))).toEqual({
      hookSpecificOutput: { hookEventName: "Stop", additionalContext: "x" },
    });
  });

  test("Gemini CLI shows nothing before a tool, so nothing is taken for it there", () => {
    expect(dialect("gemini").parse("pre-tool", { session_id: "s" })?.maxCharacters).toBe(0);
    expect(dialect("gemini").render("pre-tool", { context: "x" })).toBe("");
  });
});

describe("OpenCode, through our plugin", () => {
  const payload = { session_id: "ses_1", cwd: "/home/ada/notes", waker_pid: 4711 };

  test("says who can wake its sessions, and shows mail with prompts and after tools", () => {
    expect(dialect("opencode").parse("prompt", payload)).toMatchObject({ sessionId: "ses_1", wakerPid: 4711 });
    const room = (event: HookEvent) => dialect("opencode").parse(event, payload)?.maxCharacters ?? 0;
    expect([room("pre-tool"), room("turn-broken"), room("session-end")]).toEqual([0, 0, 0]);
    const follows = (event: HookEvent) => dialect("opencode").parse(event, payload)?.mailFollows;
    expect([follows("stop"), follows("prompt")]).toEqual([true, false]);
    expect(Math.min(room("prompt"), room("post-tool"), room("session-start"))).toBeGreaterThan(9000);
    expect(dialect("opencode").parse("prompt", { ...payload, session_id: "../x" })).toBeNull();
  });

  test("is answered in our own words", () => {
    expect(dialect("opencode").render("prompt", {})).toBe("");
    expect(dialect("opencode").render("wake", {})).toBe("{}");
    expect(JSON.parse(dialect("opencode").render("prompt", { context: "x" }))).toEqual({ context: "x" });
    expect(JSON.parse(dialect("opencode").render("wake", { goOn: "x" }))).toEqual({ go_on: "x" });
  });
});
