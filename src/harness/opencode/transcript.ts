/** OpenCode keeps all sessions in one database. It is read newest first, a few messages at a time. */

import { wallTime } from "../../core/time.ts";
import type { TranscriptRequest, Unseen } from "../../engine/ports/peer-sights.ts";
import {
  type ParsedRecord,
  type TranscriptTail,
  type Turn,
  TurnCollector,
  toolLine,
} from "../../peers/rules/transcript.ts";
import { isRegularFile } from "../../platform/files/list-names.ts";
import { yieldNowAndThen } from "../../platform/streams/yield-to-event-loop.ts";
import type { HarnessTranscript, ReadOnlyDatabase, TranscriptSource } from "../contract.ts";
import { unseen } from "../transcript.ts";
import { messagesBefore, type OpencodeMessage, type OpencodePart, partsOf } from "./database.ts";

const MESSAGES_AT_A_TIME = 50;
/** A longer part is passed over, as a longer record of a file is. */
const PART_BYTES = 4 * 1024 * 1024;
/** How far back to look for turns among parts that have none. */
const TAIL_BYTES = 16 * 1024 * 1024;

const SILENT_PARTS = new Set(
  "step-start step-finish reasoning file snapshot patch agent subtask retry compaction".split(" "),
);

export const transcript: HarnessTranscript = {
  find({ env, home }) {
    const file = `${env["XDG_DATA_HOME"] || `${home}/.local/share`}/opencode/opencode.db`;
    return isRegularFile(file) ? file : null;
  },
  async read(source, request, { openDatabase, clock }) {
    try {
      const database = openDatabase(source.path);
      try {
        return await readTurns(database, source, request, clock.now().wallMs);
      } finally {
        database.close();
      }
    } catch (error) {
      // Another program's database may be locked, damaged, or of a version that is not known.
      const reason = error instanceof Error ? error.message : String(error);
      return unseen(`The database ${source.path} cannot be read: ${reason}.`);
    }
  },
};

async function readTurns(
  database: ReadOnlyDatabase,
  { path, sessionId }: TranscriptSource,
  request: TranscriptRequest,
  nowMs: number,
): Promise<TranscriptTail | Unseen> {
  const collector = new TurnCollector(request);
  let skippedRecords = 0;
  let last: OpencodeMessage | null = null;
  let newestMs: number | null = null;
  let isExact = false;
  let bytes = 0;
  const pause = yieldNowAndThen();
  const isEnough = () => request.tailOnly && (collector.isFull || bytes >= TAIL_BYTES);
  while (!isExact && !isEnough()) {
    const heads = messagesBefore(database, sessionId, last, MESSAGES_AT_A_TIME);
    for (const head of heads) {
      // One message at a time: its parts may be very long.
      const parts = partsOf(database, head.id, PART_BYTES);
      const size = parts.reduce((sum, part) => sum + part.bytes, 0);
      bytes += size;
      await pause(size);
      const { turns, unknown } = turnsOf(head, parts);
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

/** The turns of a message, and how many of its parts are of unknown kinds. */
function turnsOf(
  { role, createdMs }: OpencodeMessage,
  parts: readonly OpencodePart[],
): ParsedRecord & { readonly unknown: number } {
  const at = wallTime(createdMs);
  const speaker = role === "user" ? "user" : "assistant";
  const turns = parts.flatMap((part): readonly Turn[] => {
    if (part.type === "text" && !part.synthetic) return [{ role: speaker, text: part.text ?? "", at }];
    return part.type === "tool" ? [{ role: "tool", text: toolLine(part.tool ?? "tool", part.input), at }] : [];
  });
  const unknown = parts.filter(({ type }) => type !== "text" && type !== "tool" && !SILENT_PARTS.has(type ?? ""));
  return { turns, unknown: unknown.length };
}
