/** Finds transcripts, and reads turns from the end of a file of JSON lines, until there are enough of them. */

import { isSessionId } from "../core/harness.ts";
import type { TranscriptRequest, Unseen, Whereabouts } from "../engine/ports/peer-sights.ts";
import { type RecordParser, type TranscriptTail, TurnCollector } from "../peers/rules/transcript.ts";
import { LinesFromEnd } from "../platform/files/lines-from-end.ts";
import { isRegularFile } from "../platform/files/list-names.ts";
import { errorCode } from "../platform/files/system-error.ts";
import { yieldNowAndThen } from "../platform/streams/yield-to-event-loop.ts";
import type { HarnessTranscript, HarnessWorld, ReadTranscript } from "./contract.ts";

/** A longer record is skipped: it is too long to show, and would have to be held whole. */
const LINE_BYTES = 4 * 1024 * 1024;
/** How far back to look for turns among records that have none. */
const TAIL_BYTES = 16 * 1024 * 1024;

/** The one that a hook named, or else the one that the harness's own rule leads to. */
export function findTranscript(
  transcript: HarnessTranscript,
  { sessionId, cwd, transcriptPath }: Whereabouts,
  { env, home }: Pick<HarnessWorld, "env" | "home">,
): string | null {
  if (transcriptPath !== null && isRegularFile(transcriptPath)) return transcriptPath;
  return home === null || !isSessionId(sessionId) ? null : transcript.find({ sessionId, cwd, env, home });
}

export function readJsonLines(parse: RecordParser): ReadTranscript {
  return async ({ path }, request) => {
    try {
      const maxBytes = request.tailOnly ? TAIL_BYTES : Number.POSITIVE_INFINITY;
      const file = new LinesFromEnd(path, { maxLineBytes: LINE_BYTES, maxBytes });
      try {
        return await tailOf(file, path, parse, request);
      } finally {
        file.close();
      }
    } catch (error) {
      return unreadable(path, error);
    }
  };
}

/** `reason`: a sentence. */
export function unseen(reason: string): Unseen {
  return { unseen: reason, next: "Ask the peer itself, or read its state card." };
}

async function tailOf(
  file: LinesFromEnd,
  path: string,
  parse: RecordParser,
  request: TranscriptRequest,
): Promise<TranscriptTail> {
  const collector = new TurnCollector(request);
  let skippedRecords = 0;
  let restarted = false;
  const pause = yieldNowAndThen();
  for (const line of file.lines()) {
    await pause(line?.length ?? LINE_BYTES);
    const parsed = line && parsedLine(line, parse);
    if (parsed) collector.add(parsed.turns);
    else skippedRecords += 1;
    restarted = parsed?.restarts === true;
    if (restarted || (request.tailOnly && collector.isFull)) break;
  }
  return {
    path,
    turns: collector.turns,
    ...collector.totals,
    totalMessagesExact: restarted || file.reachedStart,
    skippedRecords,
    ageMs: file.ageMs,
  };
}

function parsedLine(line: Buffer, parse: RecordParser) {
  try {
    const record: unknown = JSON.parse(line.toString("utf8"));
    return typeof record === "object" && record !== null ? parse(record as Record<string, unknown>) : null;
  } catch (error) {
    // The last line may be half written, and a damaged one must not hide the others.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  ENOENT: "is not there any more",
  ENOTDIR: "is not there any more",
  ESHRUNK: "became shorter while it was read",
  ENOTREG: "is not a regular file",
  EISDIR: "is not a regular file",
  EACCES: "may not be read by this user",
};

function unreadable(path: string, error: unknown): Unseen {
  const code = errorCode(error);
  if (code === "") throw error;
  return {
    unseen: `The transcript ${path} ${CAUSES[code] ?? `cannot be read (${code})`}.`,
    next: "Try again in a moment, or look at its terminal with mode pane.",
  };
}
