/**
 * Claude Code marks every command with CLAUDECODE and its current session id, which it renews after /clear. One
 * process is one session. Its native program file is named after its version, so the name it was started by
 * counts as well. It keeps its session id in a file of its own, by process number.
 */
import { firstSessionId, type HarnessIdentity, isSessionId, pidIn, type Variables } from "../../core/harness.ts";
import type { ProcessRef } from "../../core/process.ts";
import { readSessionFile } from "../../platform/agents/session-file.ts";
import { isProbe, programOf } from "../../session/rules/program.ts";
import type { HarnessWorld } from "../contract.ts";
import { fieldsIn, type JsonFields } from "../records.ts";

export function claudeCodeDirectory(env: Variables, home: string): string {
  return env["CLAUDE_CONFIG_DIR"] || `${home}/.claude`;
}

export const identity = {
  name: "claude",
  markedBy: ["CLAUDECODE"],
  sessionNamedBy: ["CLAUDE_CODE_SESSION_ID"],
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
      const session = fieldsIn(text);
      return session["pid"] === pid && isSessionId(session["sessionId"]) ? session["sessionId"] : null;
    },
  },
} satisfies HarnessIdentity;

/** What it says in that file; null when the file tells of another process or session. */
export function readSession(
  { process, sessionId }: { readonly process: ProcessRef; readonly sessionId: string | null },
  { env, home }: HarnessWorld,
): JsonFields | null {
  const session = fieldsIn(readSessionFile(identity, process.pid, env, home));
  const isOther = session["pid"] !== process.pid || (sessionId !== null && session["sessionId"] !== sessionId);
  return isOther ? null : session;
}
