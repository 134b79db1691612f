/**
 * Sticky claims: a caller stated which session a harness's process, or a terminal without a harness, is.
 * Detection never writes here: only another claim replaces one, and only an explicit call withdraws it.
 */

import { fileNameFor } from "../../core/file-name.ts";
import { isSessionId } from "../../core/harness.ts";
import { isId } from "../../core/ids.ts";
import { type ProcessRef, processKey } from "../../core/process.ts";
import type { SessionClaims } from "../../engine/ports/session-claims.ts";
import type { SessionName } from "../../session/rules/evidence.ts";
import { pathIn } from "../files/path-in.ts";
import { readPrivateJson, removePrivateFile, writePrivateJson } from "../files/private-file.ts";

export function readStickyClaim(dataDir: string, process: ProcessRef): SessionName | null {
  const claim = readPrivateJson(claimPath(dataDir, process));
  if (typeof claim !== "object" || claim === null) return null;
  const { harness, session_id: sessionId } = claim as Record<string, unknown>;
  return isId(harness) && isSessionId(sessionId) ? { harness, sessionId } : null;
}

export function createSessionClaims(dataDir: string): SessionClaims {
  return {
    read: (process) => readStickyClaim(dataDir, process),
    write: (process, { harness, sessionId }) =>
      writePrivateJson(pathIn(dataDir, "agents"), claimPath(dataDir, process), { harness, session_id: sessionId }),
    forget(process) {
      const known = readStickyClaim(dataDir, process) !== null;
      removePrivateFile(claimPath(dataDir, process));
      return known;
    },
  };
}

function claimPath(dataDir: string, process: ProcessRef): string {
  return pathIn(dataDir, `agents/${fileNameFor("claim", processKey(process))}`);
}
