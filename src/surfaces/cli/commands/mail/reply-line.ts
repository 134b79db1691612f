/** What the words after `tt reply` mean: an answer to the only open question, or to the message that they name. */
import { mayBePrefix } from "../../../../engine/whole-id.ts";
import { UsageError } from "../../usage-error.ts";

export interface ReplyLine {
  /** Undefined: the only open question is meant. */
  readonly messageId?: string;
  /** Undefined: it comes from standard input. */
  readonly body?: string;
}

/** A whole id and nothing else says nothing: its text was forgotten. */
const WHOLE_ID = /^[0-9a-z]{25}-\d+$/;

export function replyLine(words: readonly string[], fromInput: boolean, example: string): ReplyLine {
  const [first = "", ...rest] = words;
  if (fromInput && rest.length > 0) throw new UsageError("--stdin and a text exclude each other.", "Use one of them.");
  if (fromInput) return words.length === 0 ? {} : { messageId: first };
  if (rest.length > 0) return { messageId: first, body: rest.join(" ") };
  if (first.trim() === "" || WHOLE_ID.test(first)) throw noText(example);
  return { body: first };
}

/** The same for the beginning of an id, as people are shown it. */
export function refuseShortId(text: string, ids: readonly string[], example: string): void {
  if (mayBePrefix("message", text) && ids.some((id) => id.startsWith(text))) throw noText(example);
}

function noText(example: string): UsageError {
  return new UsageError("There is no text to send.", `For example: ${example}`);
}
