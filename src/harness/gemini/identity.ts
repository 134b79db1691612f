/**
 * Gemini CLI marks its commands but names a session id only to its hooks. It runs as a Node script, by default
 * in a second process that the first one starts; the nearer one is the session's. For an editor it serves many sessions.
 */
import { firstSessionId, type HarnessIdentity, type Variables } from "../../core/harness.ts";
import { isProbe, programOf } from "../../session/rules/program.ts";

const SERVERS = new Set(["--acp", "--experimental-acp"]);

/** What Gemini CLI takes for its user's home, also when it looks for skills. */
export function geminiHome(env: Variables, home: string): string {
  return env["GEMINI_CLI_HOME"] || home;
}

export const identity = {
  name: "gemini",
  markedBy: ["GEMINI_CLI"],
  sessionNamedBy: ["GEMINI_SESSION_ID"],
  markIn(env) {
    if (!env["GEMINI_CLI"]) return null;
    return { sessionId: firstSessionId(env["GEMINI_SESSION_ID"]), pid: null };
  },
  roleOf(process) {
    const { names, paths, args } = programOf(process);
    const isGemini =
      names.includes("gemini") ||
      names.includes("gemini.js") ||
      paths.some((path) => path.includes("/@google/gemini-cli"));
    if (!isGemini || isProbe(args)) return null;
    return args.some((word) => SERVERS.has(word)) ? "server" : "session";
  },
} satisfies HarnessIdentity;
