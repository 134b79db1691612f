/**
 * Whether the user of Gemini CLI has stopped the turn. When that happens during a tool, or by a "no" to its question, no
 * hook tells of the end; the transcript does, with a record that says so. The history may be written again behind it.
 */

import { wallMsOf } from "../../core/time.ts";
import { LinesFromEnd } from "../../platform/files/lines-from-end.ts";
import { errorCode } from "../../platform/files/system-error.ts";
import type { Activity } from "../../session/rules/session.ts";
import { textIn } from "../transcript.ts";
import { recordIn } from "./last-turn.ts";

const CANCELLED = "Request cancelled.";
/** Longer records are none of those that are looked for. */
const LIMITS = { maxLineBytes: 65_536, maxBytes: 4 * 1024 * 1024 } as const;

/** What became of a turn that hooks have told of; null when nothing shows that it was stopped. */
export function activityInTranscript(path: string, told: Activity | undefined): Activity | null {
  if (told?.state !== "busy" || told.since === null) return null;
  const since = stoppedAfter(path, wallMsOf(told.since));
  return since === null ? null : { state: "idle", since };
}

function stoppedAfter(path: string, beginMs: number): string | null {
  try {
    const file = new LinesFromEnd(path, LIMITS);
    try {
      for (const line of file.lines()) {
        const { type, content, timestamp } = recordIn(line?.toString("utf8") ?? "");
        const at = textIn(timestamp);
        if (at !== null && !Number.isFinite(wallMsOf(at))) continue;
        const isOlder = at !== null && wallMsOf(at) < beginMs;
        if (type === "info" && content === CANCELLED) return isOlder ? null : at;
        // An answer's record may be written again with its old time. A prompt's never is.
        if (type === "user" && isOlder) return null;
      }
      return null;
    } finally {
      file.close();
    }
  } catch (error) {
    if (errorCode(error) === "") throw error;
    // It is not there, cannot be read, or became shorter meanwhile.
    return null;
  }
}
