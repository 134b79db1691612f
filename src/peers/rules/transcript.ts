/**
 * A transcript as others may read it: who said what, newest last, within a budget.
 *
 * Each harness has its own kind of file, and a parser (src/harness) that turns its records into turns. A tool call is
 * shown as one line. The results of tools, and what a harness itself tells its model, are left out.
 */
import { utf8Length } from "../../core/limits.ts";
export interface Turn {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  /** Wall time; null when the record tells none. */
  readonly at: string | null;
  /** A later turn with the same key replaces this one. */
  readonly key?: string;
}

export interface ParsedRecord {
  /** Oldest first. */
  readonly turns: readonly Turn[];
  /** Nothing that was written before this record counts any more. */
  readonly restarts?: boolean;
}

/** Null for a kind of record that is not known. */
export type RecordParser = (record: Readonly<Record<string, unknown>>) => ParsedRecord | null;

export const NO_TURNS: ParsedRecord = { turns: [] };

/** What was read from the end of a transcript. */
export interface TranscriptTail {
  readonly path: string;
  readonly turns: readonly Turn[];
  /** More turns than were asked for. */
  readonly countTruncated: boolean;
  /** More text than the budget allows. */
  readonly bytesTruncated: boolean;
  /** The turns that were seen, shown or not. */
  readonly totalMessages: number;
  /** Whether the transcript has exactly this many turns. */
  readonly totalMessagesExact: boolean;
  /** Records of kinds that are not known, or that cannot be read. */
  readonly skippedRecords: number;
  /** Since the last change of the transcript. */
  readonly ageMs: number;
}

/** Collects turns newest first, until there are enough or no more text fits. */
export class TurnCollector {
  readonly #limit: number;
  readonly #maxBytes: number;
  readonly #keys = new Set<string>();
  readonly #kept: Turn[] = [];
  #bytes = 0;
  #seen = 0;
  #bytesTruncated = false;

  constructor(budget: { readonly limit: number; readonly maxBytes: number }) {
    this.#limit = budget.limit;
    this.#maxBytes = budget.maxBytes;
  }

  /** The next older turns, in the order of the transcript. */
  add(turns: readonly Turn[]): void {
    for (const turn of turns.toReversed()) {
      if (turn.key !== undefined && this.#keys.has(turn.key)) continue;
      if (turn.key !== undefined) this.#keys.add(turn.key);
      if (turn.text === "") continue;
      this.#seen += 1;
      if (!this.#bytesTruncated && this.#kept.length < this.#limit) this.#keep(turn);
    }
  }

  /** True if one more turn than the limit was seen, which proves that there are more, or if no more text fits. */
  get isFull(): boolean {
    return this.#bytesTruncated || this.#seen > this.#limit;
  }

  get turns(): readonly Turn[] {
    return this.#kept.toReversed();
  }

  get totals() {
    return {
      countTruncated: this.#seen > this.#limit,
      bytesTruncated: this.#bytesTruncated,
      totalMessages: this.#seen,
    };
  }

  #keep(turn: Turn): void {
    const text = lastBytes(turn.text, this.#maxBytes - this.#bytes);
    this.#bytesTruncated = text.length < turn.text.length;
    if (text === "") return;
    this.#bytes += utf8Length(text);
    this.#kept.push({ role: turn.role, text, at: turn.at });
  }
}

/** The end of a text, of at most so many bytes of UTF-8 and without half a code point. */
export function lastBytes(text: string, maxBytes: number): string {
  let bytes = 0;
  let start = text.length;
  while (start > 0) {
    const low = text.charCodeAt(start - 1);
    const isPair = low >= 0xdc00 && low <= 0xdfff && isHigh(text.charCodeAt(start - 2));
    bytes += isPair ? 4 : low < 0x80 ? 1 : low < 0x800 ? 2 : 3;
    if (bytes > maxBytes) break;
    start -= isPair ? 2 : 1;
  }
  return text.slice(start);
}

/** The end of a text, of at most so many code points. */
export function lastCharacters(text: string, maxCharacters: number): string {
  let start = text.length;
  for (let count = 0; count < maxCharacters && start > 0; count += 1) {
    const low = text.charCodeAt(start - 1);
    start -= low >= 0xdc00 && low <= 0xdfff && isHigh(text.charCodeAt(start - 2)) ? 2 : 1;
  }
  return text.slice(start);
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

const CALL_CHARACTERS = 300;

/** A call of a tool as one line. */
export function toolLine(name: string, input: unknown): string {
  const given = typeof input === "string" ? input : (JSON.stringify(input) ?? "");
  const line = `${name} ${given}`.replace(/\s+/g, " ").trim();
  const characters = Array.from(line.slice(0, 2 * CALL_CHARACTERS));
  return characters.length > CALL_CHARACTERS ? `${characters.slice(0, CALL_CHARACTERS).join("")}…` : line;
}
