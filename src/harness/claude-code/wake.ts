/**
 * Claude Code listens on a socket for messages to its session. A message from a process that it started itself is taken
 * in every permission mode. One from any other process opens a dialog where permissions are bypassed, so from outside
 * the socket is used only when that is known not to be so: neither its command line nor its transcript says it.
 */
import { isSessionId, type Variables } from "../../core/harness.ts";
import type { OwnInbox, WakeTarget } from "../../engine/ports/wake.ts";
import type { WakeTry } from "../../mail/rules/wake-status.ts";
import { readTextOrNull } from "../../platform/files/bounded-read.ts";
import { sha256Hex } from "../../platform/files/digest.ts";
import { LinesFromEnd } from "../../platform/files/lines-from-end.ts";
import { isOwnSocket } from "../../platform/files/list-names.ts";
import { createProcessSights } from "../../platform/process/process-sights.ts";
import { pushLines } from "../../platform/streams/push-lines.ts";
import type { HarnessInbox, InboxWorld } from "../inbox.ts";
import { claudeCode } from "./identity.ts";
import { claudeCodeTranscript } from "./transcript.ts";

const FILE_BYTES = 65_536;
const LINE_BYTES = 4 * 1024 * 1024;
/** How far back the transcript is searched for the mode; it is written with every prompt. */
const TAIL_BYTES = 4 * 1024 * 1024;
const BYPASSING = "bypassPermissions";

/** Only for the session that runs this very process; its harness puts both into the environment. */
export function ownClaudeCodeInbox(env: Variables): OwnInbox | null {
  const socket = env["CLAUDE_CODE_MESSAGING_SOCKET"];
  const token = env["CLAUDE_CODE_MESSAGING_TOKEN"];
  if (!socket || !token) return null;
  return { harness: claudeCode.name, push: (text, forMs) => pushInto(socket, token, text, forMs) };
}

export const claudeCodeInbox: HarnessInbox = {
  find(target, world) {
    const { process, sessionId } = target;
    const { home, env, probe } = world;
    if (home === null || !process || probe.verdict(process) !== "alive") return null;
    const path = claudeCode.sessionFile?.path(process.pid, env, home) ?? "";
    const session = parsed(readTextOrNull(path, FILE_BYTES));
    const { messagingSocketPath: socket } = session;
    if (session["pid"] !== process.pid || (sessionId !== null && session["sessionId"] !== sessionId)) return null;
    if (typeof socket !== "string" || !isOwnSocket(socket)) return null;
    const key = path.replace(/\.json$/, `.${sha256Hex(socket)}.key`);
    const { peerToken } = parsed(readTextOrNull(key, FILE_BYTES));
    // Last, because its transcript may be long.
    if (typeof peerToken !== "string" || !isPrompting(target, world)) return null;
    return (text, forMs) => pushInto(socket, peerToken, text, forMs);
  },
};

/** That it was taken proves nothing: a text that is the same as the last one is dropped for half a minute. */
async function pushInto(socket: string, token: string, text: string, forMs: number): Promise<WakeTry> {
  const message = { type: "user", message: { role: "user", content: text }, priority: "next" };
  const pushed = await pushLines(
    socket,
    [{ type: "auth", token }, message].map((line) => JSON.stringify(line)),
    forMs,
  );
  return pushed === "refused" ? "failed" : "sent";
}

/** Whether the session is known to ask for permissions. What is not known counts as no. */
function isPrompting(target: WakeTarget, { env, home, probe }: InboxWorld): boolean {
  const { process, sessionId, cwd } = target;
  const argv = process && createProcessSights(probe.self()).look(process.pid)?.sight.argv;
  if (!argv || home === null || argv.some((word) => word.includes("dangerously") || word.includes(BYPASSING))) {
    return false;
  }
  const search = isSessionId(sessionId) ? { sessionId, cwd, env, home } : null;
  const path = target.transcriptPath ?? (search && claudeCodeTranscript.find(search));
  const mode = path && lastPermissionMode(path);
  return typeof mode === "string" && mode !== BYPASSING;
}

function lastPermissionMode(path: string): string | null {
  try {
    const file = new LinesFromEnd(path, { maxLineBytes: LINE_BYTES, maxBytes: TAIL_BYTES });
    try {
      for (const line of file.lines()) {
        const record = line?.includes("permission-mode") ? parsed(line.toString("utf8")) : {};
        const { type, permissionMode } = record;
        if (type === "permission-mode" && typeof permissionMode === "string") return permissionMode;
      }
      return null;
    } finally {
      file.close();
    }
  } catch {
    // A transcript that cannot be read tells nothing.
    return null;
  }
}

function parsed(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // Half written, or nothing at all; the next look reads it whole.
    return {};
  }
}
