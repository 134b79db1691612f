/** Reads turns of one session from OpenCode's database, newest first, a few messages at a time. */
import { type TranscriptTail, TurnCollector } from "../domain/session/transcript.ts";
import type { TranscriptRequest, Unseen } from "../ports/peer-sights.ts";
import { type OpencodeDatabase, type OpencodeMessage, opencodeTurns } from "./opencode/transcript.ts";

const MESSAGES_AT_A_TIME = 50;

export interface OpencodeSource {
  readonly path: string;
  readonly sessionId: string;
  readonly nowMs: number;
}

export function readOpencode(
  database: OpencodeDatabase,
  { path, sessionId, nowMs }: OpencodeSource,
  request: TranscriptRequest,
): TranscriptTail | Unseen {
  const collector = new TurnCollector(request);
  let skippedRecords = 0;
  let last: OpencodeMessage | null = null;
  let newestMs: number | null = null;
  let isExact = false;
  while (!isExact && !(request.tailOnly && collector.isFull)) {
    const messages = database.messagesBefore(sessionId, last, MESSAGES_AT_A_TIME);
    for (const message of messages) {
      const { turns, unknown } = opencodeTurns(message);
      collector.add(turns);
      skippedRecords += unknown;
      newestMs = Math.max(newestMs ?? 0, message.updatedMs);
    }
    last = messages.at(-1) ?? last;
    isExact = messages.length < MESSAGES_AT_A_TIME;
  }
  if (newestMs === null) {
    return { unseen: "OpenCode keeps no messages of that session.", next: "Ask the peer, or look at its terminal." };
  }
  const ageMs = Math.max(0, nowMs - newestMs);
  return { path, turns: collector.turns, ...collector.totals, totalMessagesExact: isExact, skippedRecords, ageMs };
}
