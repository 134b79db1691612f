/** Reads turns of one session from OpenCode's database, newest first, a few messages at a time. */

import type { TranscriptRequest, Unseen } from "../../engine/ports/peer-sights.ts";
import { type TranscriptTail, TurnCollector } from "../../peers/rules/transcript.ts";
import { breathing } from "../../platform/streams/yield-to-event-loop.ts";
import { type OpencodeDatabase, type OpencodeMessage, opencodeTurns } from "./transcript.ts";

const MESSAGES_AT_A_TIME = 50;
/** A longer part is passed over, as a longer record of a file is. */
const PART_BYTES = 4 * 1024 * 1024;
/** How far back to look for turns among parts that have none. */
const TAIL_BYTES = 16 * 1024 * 1024;

export interface OpencodeSource {
  readonly path: string;
  readonly sessionId: string;
  readonly nowMs: number;
}

export async function readOpencode(
  database: OpencodeDatabase,
  { path, sessionId, nowMs }: OpencodeSource,
  request: TranscriptRequest,
): Promise<TranscriptTail | Unseen> {
  const collector = new TurnCollector(request);
  let skippedRecords = 0;
  let last: OpencodeMessage | null = null;
  let newestMs: number | null = null;
  let isExact = false;
  let bytes = 0;
  const breathe = breathing();
  const isEnough = () => request.tailOnly && (collector.isFull || bytes >= TAIL_BYTES);
  while (!isExact && !isEnough()) {
    const heads = database.messagesBefore(sessionId, last, MESSAGES_AT_A_TIME);
    for (const head of heads) {
      // One message at a time: its parts may be very long.
      const parts = database.partsOf(head.id, PART_BYTES);
      const size = parts.reduce((sum, part) => sum + part.bytes, 0);
      bytes += size;
      await breathe(size);
      const { turns, unknown } = opencodeTurns(head, parts);
      collector.add(turns);
      skippedRecords += unknown;
      newestMs = Math.max(newestMs ?? 0, head.updatedMs);
      last = head;
      if (isEnough()) break;
    }
    isExact = heads.length < MESSAGES_AT_A_TIME && (heads.at(-1) ?? last) === last;
  }
  if (newestMs === null) {
    return { unseen: "OpenCode keeps no messages of that session.", next: "Ask the peer, or look at its terminal." };
  }
  const ageMs = Math.max(0, nowMs - newestMs);
  return { path, turns: collector.turns, ...collector.totals, totalMessagesExact: isExact, skippedRecords, ageMs };
}
