import { describe, expect, it, test } from "vitest";
import type { ProcessRole } from "../../../src/core/harness.ts";
import { claudeCode } from "../../../src/harness/claude-code/index.ts";
import { HARNESSES } from "../../../src/harness/harnesses.ts";
import { isInteractiveShell } from "../../../src/session/rules/interactive-shell.ts";
import { sight } from "../../support/session-clues.ts";

describe("a harness's process is recognised by the program it runs", () => {
  const processes: readonly (readonly [command: string, found: string, executable: string | null])[] = [
    ["claude", "claude session", "/root/.local/share/claude/versions/2.1.325"],
    ["/root/.local/bin/claude --resume", "claude session", null],
    ["node /usr/local/bin/claude -p hi", "claude session", null],
    ["node --max-old-space-size=8192 /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", "claude session", null],
    ["/bin/sh /tmp/fake/claude", "claude session", null],
    ["claude mcp serve", "claude session", null],
    ["codex", "codex session", "/usr/lib/node_modules/@openai/codex/vendor/codex"],
    ["codex exec --json hi", "codex session", null],
    ["codex --no-daemon", "codex session", null],
    ["node /usr/bin/codex", "codex session", null],
    ["/root/.codex/packages/codex app-server --listen unix://", "codex server", null],
    ["codex mcp-server", "codex server", null],
    ["codex-linux-sandbox --sandbox-policy x -- bash -lc tt", "codex helper", null],
    ["node --no-warnings=DEP0040 /usr/bin/gemini", "gemini session", null],
    ["node --no-warnings=DEP0040 /usr/bin/gemini --acp", "gemini server", null],
    [
      "/usr/bin/node --max-old-space-size=4096 /usr/lib/node_modules/@google/gemini-cli/dist/index.js",
      "gemini session",
      null,
    ],
    ["opencode", "opencode server", null],
    ["opencode serve --port 4999", "opencode server", null],
    ["node /usr/bin/opencode run", "opencode server", null],
  ];

  test.each(processes)("%s is %s", (command, found, executable) => {
    expect(rolesOf(command, executable)).toEqual([found]);
  });

  const others: readonly string[] = [
    "bash -c source /root/.claude/shell-snapshots/snapshot.sh && eval 'claude --version'",
    "bash -lc codex",
    "vim claude",
    "tail -f /var/log/claude",
    "grep -r gemini .",
    "node /projects/claude/index.js",
    "node -e require('codex')",
    "tmux new-session -s claude",
    "claude mcp list",
    "node /usr/local/bin/claude mcp get talking-stick",
    "codex mcp list",
    "node /usr/bin/gemini mcp list",
    "",
  ];

  test.each(others)("%s is none", (command) => {
    expect(rolesOf(command)).toEqual([]);
  });

  it("by the number that the harness left in the environment, whatever its name", () => {
    const mark = { sessionId: "s", pid: 77 };
    expect(claudeCode.roleOf(sight("bun /opt/agent/main.js", 77), mark)).toBe("session");
    expect(claudeCode.roleOf(sight("bun /opt/agent/main.js", 78), mark)).toBeNull();
  });
});

describe("Claude Code's own file about a session", () => {
  const { sessionFile } = claudeCode;
  const path = (env: Record<string, string>) => sessionFile?.path(42, env, "/home/ada");

  it("is found by the process number, in the configured directory", () => {
    expect(path({})).toBe("/home/ada/.claude/sessions/42.json");
    expect(path({ CLAUDE_CONFIG_DIR: "/etc/claude" })).toBe("/etc/claude/sessions/42.json");
  });

  const texts: readonly (readonly [text: string, sessionId: string | null])[] = [
    ['{"pid":42,"sessionId":"0a-b","status":"idle"}', "0a-b"],
    ['{"pid":43,"sessionId":"0a-b"}', null],
    ['{"pid":42,"sessionId":"../x"}', null],
    ['{"pid":42}', null],
    ['{"pid":42,"sess', null],
    ["null", null],
    ["", null],
  ];

  test.each(texts)("%s names %s", (text, sessionId) => {
    expect(sessionFile?.sessionIdIn(text, 42)).toBe(sessionId);
  });
});

describe("an interactive shell", () => {
  test.each([
    "-bash",
    "bash",
    "/bin/zsh -l",
    "fish",
    "bash --login",
    "bash --rcfile /etc/rc -i",
    "sh -i",
    "/bin/bash --init-file /usr/share/code/shellIntegration-bash.sh",
    "bash --norc --rcfile /etc/rc",
    "bash --rcfile=/etc/rc",
    "bash -O extglob +O histappend -o vi",
    "bash -eo pipefail",
    "zsh -o SHARE_HISTORY +o beep",
    "fish --init-command source~/x",
    "fish -C true --login",
    "bash -e -C",
    "bash -c -i tt",
    "fish --interactive",
  ])("%s is one", (command) => expect(isInteractiveShell(sight(command, 1))).toBe(true));

  test.each([
    "bash -c tt",
    "sh -ec tt",
    "bash script.sh",
    "zsh /tmp/x",
    "node",
    "cron -f",
    "bashful",
    "bash --rcfile /etc/rc script.sh",
    "bash --init-file /etc/rc -c tt",
    "bash -O extglob -c tt",
    "bash -o vi script.sh",
    "bash script.sh -i",
    "bash -c tt -i",
    "fish -C true script.fish",
    "fish --command tt",
    "fish --command=tt",
  ])("%s is none", (command) => expect(isInteractiveShell(sight(command, 1))).toBe(false));
});

function rolesOf(command: string, executable: string | null = null): string[] {
  const roles = HARNESSES.map((harness): [string, ProcessRole | null] => [
    harness.name,
    harness.roleOf(sight(command, 7, executable), null),
  ]);
  return roles.flatMap(([name, role]) => (role ? [`${name} ${role}`] : []));
}
