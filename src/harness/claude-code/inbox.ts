/**
 * Claude Code listens on a socket for messages to its session. A message from a process that it started itself is taken
 * in every permission mode. One from any other process opens a dialog where permissions are bypassed, so from outside
 * the socket is used only when that is known not to be so: neither its command line nor its transcript says it.
 */
import type { WakeTarget } from "../../engine/ports/wake.ts";
import type { WakeTry } from "../../mail/rules/wake-status.ts";
import { readTextOrNull } from "../../platform/files/bounded-read.ts";
import { sha256Hex } from "../../platform/files/digest.ts";
import { searchFromEnd } from "../../platform/files/lines-from-end.ts";
import { isOwnSocket } from "../../platform/files/list-names.ts";
import { createProcessSights } from "../../platform/process/process-sights.ts";
import { pushLines } from "../../platform/streams/push-lines.ts";
import type { HarnessInbox, HarnessWorld } from "../contract.ts";
import { fieldsIn } from "../records.ts";
import { findTranscript } from "../transcript.ts";
import { identity, readSession } from "./identity.ts";
import { transcript } from "./transcript.ts";

const KEY_BYTES = 65_536;
/** How far back the transcript is searched for the mode; it is written with every prompt. */
const LIMITS = { maxLineBytes: 4 * 1024 * 1024, maxBytes: 4 * 1024 * 1024 } as const;
const MODE = "permission-mode";
const BYPASSING = "bypassPermissions";

export const inbox: HarnessInbox = {
  find(target, world) {
    const { process } = target;
    const { home, env, probe } = world;
    if (home === null || !process || probe.verdict(process) !== "alive") return null;
    const socket = readSession({ ...target, process }, world)?.["messagingSocketPath"];
    if (typeof socket !== "string" || !isOwnSocket(socket)) return null;
    const key = identity.sessionFile.path(process.pid, env, home).replace(/\.json$/, `.${sha256Hex(socket)}.key`);
    const { peerToken } = fieldsIn(readTextOrNull(key, KEY_BYTES));
    // Last, because its transcript may be long.
    if (typeof peerToken !== "string" || !isPrompting(target, world)) return null;
    return (text, forMs) => pushInto(socket, peerToken, text, forMs);
  },
  /** Claude Code puts both variables into the environment of what it starts. */
  own({ CLAUDE_CODE_MESSAGING_SOCKET: socket, CLAUDE_CODE_MESSAGING_TOKEN: token }) {
    if (!socket || !token) return null;
    return { harness: identity.name, push: (text, forMs) => pushInto(socket, token, text, forMs) };
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
function isPrompting(target: WakeTarget, world: HarnessWorld): boolean {
  const { process } = target;
  const argv = process && createProcessSights(world.probe.self()).look(process.pid)?.sight.argv;
  if (!argv || argv.some((word) => word.includes("dangerously") || word.includes(BYPASSING))) return false;
  const path = findTranscript(transcript, target, world);
  const mode = path && lastPermissionMode(path);
  return typeof mode === "string" && mode !== BYPASSING;
}

function lastPermissionMode(path: string): string | null {
  return searchFromEnd(path, LIMITS, (lines) => {
    for (const line of lines) {
      const { type, permissionMode } = line?.includes(MODE) ? fieldsIn(line.toString("utf8")) : {};
      if (type === MODE && typeof permissionMode === "string") return permissionMode;
    }
    return null;
  });
}
