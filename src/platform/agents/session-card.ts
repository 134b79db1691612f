/**
 * Session cards: what a hook wrote down about the harness's process when its session started, so that a command
 * which knows only its ancestors finds the session. One card per process; a new session of the process replaces it.
 */

import { fileNameFor } from "../../core/file-name.ts";
import { isSessionId } from "../../core/harness.ts";
import { type ProcessRef, processKey } from "../../core/process.ts";
import type { Instant } from "../../core/time.ts";
import type { SessionCards } from "../../engine/ports/session-cards.ts";
import type { SessionCard, SessionName } from "../../session/rules/evidence.ts";
import { pathIn } from "../files/path-in.ts";
import { readPrivateJson, writePrivateJson } from "../files/private-file.ts";
import { recordsIn } from "../process/process-records.ts";

export function createSessionCards(dataDir: string): SessionCards {
  let known: ReadonlyMap<string, readonly ProcessRef[]> | null = null;
  // A caller that asks about many sessions asks about all of them at once, and there may be a card for each.
  const bySession = (): ReadonlyMap<string, readonly ProcessRef[]> => {
    if (known === null)
      queueMicrotask(() => {
        known = null;
      });
    known ??= processesBySession(dataDir);
    return known;
  };
  return {
    read: (process) => readSessionCard(dataDir, process),
    write: (process, card) => writeSessionCard(dataDir, process, card),
    processesOf: (session) => bySession().get(sessionKey(session)) ?? [],
  };
}

function processesBySession(dataDir: string): ReadonlyMap<string, readonly ProcessRef[]> {
  const found = new Map<string, ProcessRef[]>();
  for (const { process } of recordsIn(dataDir, ["card"])) {
    const card = readSessionCard(dataDir, process);
    if (!card || card.ending) continue;
    const key = sessionKey(card);
    found.set(key, [...(found.get(key) ?? []), process]);
  }
  return found;
}

function sessionKey({ harness, sessionId }: SessionName): string {
  return JSON.stringify([harness, sessionId]);
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
