/**
 * OpenCode serves all sessions of an instance from one process and names only that process to its commands. The
 * session id comes from our plugin, which adds a variable of ours to commands and an argument of ours to calls.
 */
import { firstSessionId, type HarnessIdentity, isSessionId, pidIn } from "../../domain/session/harness.ts";
import { programOf } from "../../domain/session/program.ts";

/** What our plugin adds to the environment of every command. */
export const OPENCODE_SESSION_VARIABLE = "TT_OPENCODE_SESSION_ID";

/** What our plugin adds to every call of our MCP server. */
export const OPENCODE_SESSION_ARGUMENT = "tt_session_id";

export const opencode: HarnessIdentity = {
  name: "opencode",
  markIn(env) {
    if (!env["OPENCODE"] && !env["OPENCODE_PID"]) return null;
    return { sessionId: firstSessionId(env[OPENCODE_SESSION_VARIABLE]), pid: pidIn(env["OPENCODE_PID"]) };
  },
  roleOf(process, mark) {
    if (mark?.pid === process.ref.pid) return "server";
    const { names, paths } = programOf(process);
    const isOpencode = names.includes("opencode") || paths.some((path) => path.includes("/opencode-ai/"));
    return isOpencode ? "server" : null;
  },
  mcpClient: "opencode",
  sessionArgument: OPENCODE_SESSION_ARGUMENT,
  sessionIdInCall(meta) {
    const given = meta[OPENCODE_SESSION_ARGUMENT];
    return isSessionId(given) ? given : null;
  },
};
