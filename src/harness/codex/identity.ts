/**
 * Codex gives its commands two ids. The thread is one line of conversation, and every subagent has its own; the
 * session is the root thread's and is shared by its subagents. Hooks are told the session id, and a subagent is
 * no member of its own anywhere else, so the session id is the one that counts. Older versions give only the
 * thread, which for a root thread is the same.
 *
 * `codex app-server` is one daemon behind all terminals, and `codex mcp-server` has a session for each client's
 * conversation; every other `codex` is a session of its own. Sandboxed
 * commands run below `codex-linux-sandbox`, usually with process numbers of their own.
 */
import { firstSessionId, type HarnessIdentity, isSessionId, type Variables } from "../../core/harness.ts";
import { isProbe, programOf } from "../../session/rules/program.ts";

const MARKS = ["CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"];
const SERVERS = new Set(["app-server", "mcp-server"]);
const NAMES = new Set(["codex", "codex.js"]);

export function codexDirectory(env: Variables, home: string): string {
  return env["CODEX_HOME"] || `${home}/.codex`;
}

export const identity = {
  name: "codex",
  markedBy: MARKS,
  sessionNamedBy: ["CODEX_SESSION_ID", "CODEX_THREAD_ID"],
  markIn(env) {
    if (!MARKS.some((name) => env[name])) return null;
    return { sessionId: firstSessionId(env["CODEX_SESSION_ID"], env["CODEX_THREAD_ID"]), pid: null };
  },
  roleOf(process) {
    const { names, paths, args } = programOf(process);
    if (names.some((name) => name.startsWith("codex-linux-s"))) return "helper";
    const isCodex = names.some((name) => NAMES.has(name)) || paths.some((path) => path.includes("/@openai/codex"));
    if (!isCodex || isProbe(args)) return null;
    return args.some((word) => SERVERS.has(word)) ? "server" : "session";
  },
  versionIn: (env) => env["CODEX_VERSION"] || null,
  isSubagentIn: ({ CODEX_SESSION_ID: session, CODEX_THREAD_ID: thread }) => !!session && !!thread && session !== thread,
  isSubagentInCall: ({ sessionId, threadId }) => !!sessionId && !!threadId && sessionId !== threadId,
  sessionIdInCall: ({ sessionId, threadId }) => [sessionId, threadId].find(isSessionId) ?? null,
} satisfies HarnessIdentity;
