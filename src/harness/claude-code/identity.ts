/**
 * Claude Code marks every command with CLAUDECODE and its current session id, which it renews after /clear. One
 * process is one session. Its native program file is named after its version, so the name it was started by
 * counts as well. It keeps its session id in a file of its own, by process number.
 */
import { firstSessionId, type HarnessIdentity, isSessionId, pidIn } from "../../core/harness.ts";
import { isProbe, programOf } from "../../session/rules/program.ts";
import { claudeCodeDirectory } from "../directories.ts";

export const claudeCode: HarnessIdentity = {
  name: "claude",
  markIn(env) {
    if (!env["CLAUDECODE"]) return null;
    return { sessionId: firstSessionId(env["CLAUDE_CODE_SESSION_ID"]), pid: pidIn(env["CLAUDE_PID"]) };
  },
  roleOf(process, mark) {
    if (mark?.pid === process.ref.pid) return "session";
    const { names, paths, args } = programOf(process);
    const isClaude = names.includes("claude") || paths.some((path) => path.includes("/@anthropic-ai/claude-code"));
    return isClaude && !isProbe(args) ? "session" : null;
  },
  versionIn: (env) => /^claude-code_(\d+(?:-\d+)+)/.exec(env["AI_AGENT"] ?? "")?.[1]?.replaceAll("-", ".") ?? null,
  toolUseInCall: ({ "claudecode/toolUseId": id }) => (isSessionId(id) ? id : null),
  sessionFile: {
    path: (pid, env, home) => `${claudeCodeDirectory(env, home)}/sessions/${pid}.json`,
    sessionIdIn(text, pid) {
      const session = parsed(text);
      return session.pid === pid && isSessionId(session.sessionId) ? session.sessionId : null;
    },
  },
};

function parsed(text: string): { readonly pid?: unknown; readonly sessionId?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    // The file may be half written; the next call reads it whole.
    return {};
  }
}
