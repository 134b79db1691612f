/** Retired sessions, a file for each. They mean nothing after a reboot, and go a few at a time then. */
import { fileNameFor } from "../../core/file-name.ts";
import { parseProcessKey, processKey } from "../../core/process.ts";
import type { RetiredSessions } from "../../engine/ports/retired-sessions.ts";
import type { Retirement } from "../../session/rules/retirement.ts";
import { pathIn } from "../files/path-in.ts";
import { readPrivateJson, removePrivateFile, writePrivateJson } from "../files/private-file.ts";
import { instantIn } from "./session-card.ts";

export const RETIRED_KIND = "ended";

export function createRetiredSessions(dataDir: string): RetiredSessions {
  const directory = pathIn(dataDir, "agents");
  const pathOf = ({ harness, sessionId }: { readonly harness: string; readonly sessionId: string }) =>
    pathIn(directory, fileNameFor(RETIRED_KIND, `${harness} ${sessionId}`));
  return {
    read: (session) => readRetirement(pathOf(session)),
    retire: (session, { at, process }) =>
      writePrivateJson(directory, pathOf(session), { at, process: process && processKey(process) }),
    revive: (session) => removePrivateFile(pathOf(session)),
  };
}

/** Null when there is none, or none that can be read. */
export function readRetirement(path: string): Retirement | null {
  const document = readPrivateJson(path);
  if (typeof document !== "object" || document === null) return null;
  const { at: when, process } = document as Record<string, unknown>;
  const at = instantIn(when);
  return at && { at, process: typeof process === "string" ? parseProcessKey(process) : null };
}
