/**
 * OpenCode serves all sessions of an instance from one process and names only that process to its commands. The
 * session id comes from our plugin, which adds a variable of ours to commands and an argument of ours to calls.
 */
import { firstSessionId, type HarnessIdentity, isSessionId, pidIn } from "../../core/harness.ts";
import { programOf } from "../../session/rules/program.ts";

/** What our plugin adds to the environment of every command. */
export const OPENCODE_SESSION_VARIABLE = "TT_OPENCODE_SESSION_ID";

/** What our plugin adds to the environment of a subagent's commands. */
export const OPENCODE_SUBAGENT_VARIABLE = "TT_OPENCODE_SUBAGENT";

/** What our plugin adds to every call of our MCP server: the session, and behind a slash the subagent that calls. */
export const OPENCODE_SESSION_ARGUMENT = "tt_session_id";

export const identity = {
  name: "opencode",
  markedBy: ["OPENCODE", "OPENCODE_PID"],
  sessionNamedBy: [OPENCODE_SESSION_VARIABLE],
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
  sessionArgument: OPENCODE_SESSION_ARGUMENT,
  sessionIdInCall(meta) {
    const [given] = callerIn(meta);
    return isSessionId(given) ? given : null;
  },
  isSubagentIn: (env) => !!env[OPENCODE_SUBAGENT_VARIABLE],
  isSubagentInCall: (meta) => callerIn(meta).length > 1,
} satisfies HarnessIdentity;

function callerIn(meta: Readonly<Record<string, unknown>>): readonly string[] {
  const given = meta[OPENCODE_SESSION_ARGUMENT];
  return typeof given === "string" ? given.split("/") : [];
}
