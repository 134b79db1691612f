/**
 * Session cards: what a hook wrote down about the harness's process when its session started, so that a command
 * which knows only its ancestors finds the session. One card per process; a new session of the process replaces it.
 */

import { fileNameFor } from "../domain/file-name.ts";
import { type ProcessRef, processKey } from "../domain/process.ts";
import type { SessionCard } from "../domain/session/evidence.ts";
import { isSessionId } from "../domain/session/harness.ts";
import type { Instant } from "../domain/time.ts";
import type { SessionCards } from "../ports/session-cards.ts";
import { pathIn } from "./path-in.ts";
import { readPrivateJson, writePrivateJson } from "./private-file.ts";
import { recordsIn } from "./process-records.ts";

export function createSessionCards(dataDir: string): SessionCards {
  return {
    read: (process) => readSessionCard(dataDir, process),
    write: (process, card) => writeSessionCard(dataDir, process, card),
    processesOf: ({ harness, sessionId }) =>
      recordsIn(dataDir, ["card"])
        .map(({ process }) => process)
        .filter((process) => {
          const card = readSessionCard(dataDir, process);
          return card?.harness === harness && card.sessionId === sessionId && !card.ending;
        }),
  };
}

/** Null when there is none, or none that can be read. */
export function readSessionCard(dataDir: string, process: ProcessRef): SessionCard | null {
  const card = readPrivateJson(cardPath(dataDir, process));
  if (typeof card !== "object" || card === null) return null;
  const { harness, session_id: sessionId, transcript_path: transcriptPath } = card as Record<string, unknown>;
  if (typeof harness !== "string" || !isSessionId(sessionId)) return null;
  const path = typeof transcriptPath === "string" ? transcriptPath : null;
  return { harness, sessionId, transcriptPath: path, ending: instantIn((card as { ending?: unknown }).ending) };
}

export function writeSessionCard(dataDir: string, process: ProcessRef, card: SessionCard): void {
  writePrivateJson(pathIn(dataDir, "agents"), cardPath(dataDir, process), {
    harness: card.harness,
    session_id: card.sessionId,
    transcript_path: card.transcriptPath,
    ...(card.ending && { ending: card.ending }),
  });
}

/** Null for what is no instant. */
export function instantIn(value: unknown): Instant | null {
  const { epoch, ms } = (typeof value === "object" && value !== null ? value : {}) as Partial<Instant>;
  return typeof epoch === "string" && Number.isSafeInteger(ms) ? { epoch, ms: ms as number } : null;
}

function cardPath(dataDir: string, process: ProcessRef): string {
  return pathIn(dataDir, `agents/${fileNameFor("card", processKey(process))}`);
}
