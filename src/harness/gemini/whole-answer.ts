/**
 * Whether the newest turn in a transcript of Gemini CLI ended with a whole answer. An answer is recorded when it is
 * complete: of one that its user stopped there is no record, only the prompt or the tool's result before it. Records that
 * are rewritten together (`$set` with messages) follow a turn that was taken back.
 */
import { LinesFromEnd } from "../../system/lines-from-end.ts";
import { errorCode } from "../../system/system-error.ts";
import { objectIn } from "../transcript.ts";

const LIMITS = { maxLineBytes: 4 * 1024 * 1024, maxBytes: 16 * 1024 * 1024 } as const;

/** Null when the transcript does not tell. */
export function hasWholeAnswer(path: string): boolean | null {
  try {
    const file = new LinesFromEnd(path, LIMITS);
    try {
      for (const line of file.lines()) {
        const isWhole = line && toldBy(line);
        if (isWhole !== undefined) return isWhole;
      }
      return null;
    } finally {
      file.close();
    }
  } catch (error) {
    if (errorCode(error) === "") throw error;
    // It is not there, or cannot be read.
    return null;
  }
}

/** Undefined for a record that is no part of the conversation; null for one that cannot be read. */
function toldBy(line: Buffer): boolean | null | undefined {
  try {
    const { type, toolCalls, $set: changes } = objectIn(JSON.parse(line.toString("utf8")) as unknown);
    if (type === "gemini") return !Array.isArray(toolCalls) || toolCalls.length === 0;
    if (type === "user") return false;
    return "messages" in objectIn(changes) ? false : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
