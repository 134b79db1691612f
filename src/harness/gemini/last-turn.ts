/**
 * What the transcript of Gemini CLI tells of the newest turn.
 *
 * How it ended: an answer is recorded when it is complete. If the user stopped it, there is no record of it, only of
 * the prompt or the tool's result before it. After a turn was removed, the remaining messages are recorded together
 * (`$set` with messages). The records before that one no longer count.
 *
 * Whether its user stopped it: if the user does so during a tool, or answers a tool's question with "no", no hook tells
 * of the end. A record says so. The history may be written again after that record.
 */
import { wallMsOf } from "../../core/time.ts";
import { searchFromEnd } from "../../platform/files/lines-from-end.ts";
import type { Activity } from "../../session/rules/session.ts";
import { fieldsIn, objectIn, textIn } from "../records.ts";

export interface LastTurn {
  /** It ended with a whole answer. */
  readonly isAnswered: boolean;
  /** The end of what the model reads, as it is recorded. */
  readonly conversation: string;
}

const CANCELLED = "Request cancelled.";
const MOST_BYTES = 4 * 1024 * 1024;
/** Mail that was shown in the newest turn is near the end. */
const TURN_LIMITS = { maxLineBytes: MOST_BYTES, maxBytes: MOST_BYTES } as const;
/** Longer records cannot be the ones that we look for. */
const STOP_LIMITS = { maxLineBytes: 65_536, maxBytes: MOST_BYTES } as const;

/** Null when the transcript does not tell. */
export function lastTurn(path: string): LastTurn | null {
  return searchFromEnd(path, TURN_LIMITS, (lines) => {
    let isAnswered: boolean | null = null;
    const texts: string[] = [];
    for (const line of lines) {
      const text = line?.toString("utf8") ?? "";
      texts.push(text);
      const { type, toolCalls, $set: changes } = fieldsIn(text);
      const isRewritten = "messages" in objectIn(changes);
      if (type === "gemini") isAnswered ??= !Array.isArray(toolCalls) || toolCalls.length === 0;
      if (type === "user" || isRewritten) isAnswered ??= false;
      if (isRewritten) break;
    }
    return isAnswered === null ? null : { isAnswered, conversation: texts.join("\n") };
  });
}

/** The outcome of a turn that began at `begin`; null if nothing shows that it was stopped. */
export function stoppedTurn(path: string, begin: string): Activity | null {
  const since = searchFromEnd(path, STOP_LIMITS, (lines) => stoppedAfter(lines, wallMsOf(begin)));
  return since === null ? null : { state: "idle", since };
}

function stoppedAfter(lines: Iterable<Buffer | null>, beginMs: number): string | null {
  for (const line of lines) {
    const { type, content, timestamp } = fieldsIn(line?.toString("utf8") ?? "");
    const at = textIn(timestamp);
    if (at !== null && !Number.isFinite(wallMsOf(at))) continue;
    const isOlder = at !== null && wallMsOf(at) < beginMs;
    if (type === "info" && content === CANCELLED) return isOlder ? null : at;
    // An answer's record may be written again with its old time. A prompt's never is.
    if (type === "user" && isOlder) return null;
  }
  return null;
}
