/**
 * How the newest turn in a transcript of Gemini CLI ended. An answer is recorded when it is complete: of one that its user
 * stopped there is no record, only the prompt or the tool's result before it. After a turn that was taken back, the
 * messages that are left are recorded together (`$set` with messages): what stands before that record counts no more.
 */
import { LinesFromEnd } from "../../platform/files/lines-from-end.ts";
import { errorCode } from "../../platform/files/system-error.ts";
import { objectIn } from "../transcript.ts";

export interface LastTurn {
  /** It ended with a whole answer. */
  readonly isAnswered: boolean;
  /** The end of what the model reads, as it is recorded. */
  readonly conversation: string;
}

/** Mail that was shown in the newest turn stands near the end. */
const LIMITS = { maxLineBytes: 4 * 1024 * 1024, maxBytes: 4 * 1024 * 1024 } as const;

/** Null when the transcript does not tell. */
export function lastTurn(path: string): LastTurn | null {
  try {
    const file = new LinesFromEnd(path, LIMITS);
    try {
      return readFrom(file);
    } finally {
      file.close();
    }
  } catch (error) {
    if (errorCode(error) === "") throw error;
    // It is not there, or cannot be read.
    return null;
  }
}

function readFrom(file: LinesFromEnd): LastTurn | null {
  let isAnswered: boolean | null = null;
  const texts: string[] = [];
  for (const line of file.lines()) {
    const text = line?.toString("utf8") ?? "";
    texts.push(text);
    const { type, toolCalls, $set: changes } = recordIn(text);
    const isRewritten = "messages" in objectIn(changes);
    if (type === "gemini") isAnswered ??= !Array.isArray(toolCalls) || toolCalls.length === 0;
    if (type === "user" || isRewritten) isAnswered ??= false;
    if (isRewritten) break;
  }
  return isAnswered === null ? null : { isAnswered, conversation: texts.join("\n") };
}

/** The last line may be half written. */
export function recordIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return objectIn(JSON.parse(text) as unknown);
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
