/**
 * `codex queue` puts a prompt behind a thread's turn, and an idle thread begins one at once. After a person has
 * interrupted a turn the queue stands still although the command says that it queued. A thread that is loaded has a file
 * that its process keeps locked.
 */
import { isSessionId } from "../../core/harness.ts";
import type { WakeTarget } from "../../engine/ports/wake.ts";
import { isRegularFile } from "../../platform/files/list-names.ts";
import { isLocked } from "../../platform/process/lock-holders.ts";
import { createProcessSights } from "../../platform/process/process-sights.ts";
import { runBriefly } from "../../platform/process/run-briefly.ts";
import { baseName } from "../../session/rules/program.ts";
import type { HarnessInbox, HarnessWorld } from "../contract.ts";
import { codexDirectory } from "./identity.ts";

export const inbox: HarnessInbox = {
  find(target, world) {
    const { sessionId, process } = target;
    const { env, home, probe } = world;
    if (!isSessionId(sessionId) || home === null) return null;
    const codexHome = codexDirectory(env, home);
    const lock = `${codexHome}/thread-writer-locks/${sessionId}.lock`;
    const isAlive = process !== null && probe.verdict(process) === "alive";
    if (!isRegularFile(lock) || !(isAlive || isLocked(lock))) return null;
    return async (text, forMs) => {
      const words = ["queue", "--thread", sessionId, "--message", text];
      const childEnv = { ...env, HOME: home, CODEX_HOME: codexHome };
      const answer = await runBriefly(programOf(target, world), words, { env: childEnv, timeoutMs: forMs });
      if (answer.ended === "exit") return answer.code === 0 ? "sent" : "failed";
      return answer.ended === "missing" ? "failed" : "sent";
    };
  },
};

/** The very program that runs the session, which may be another version than the one that is found first. */
function programOf({ process }: WakeTarget, { probe }: HarnessWorld): string {
  const executable = process && createProcessSights(probe.self()).look(process.pid)?.sight.executable;
  const isThere = executable?.startsWith("/") && baseName(executable) === "codex" && isRegularFile(executable);
  return executable && isThere ? executable : "codex";
}
