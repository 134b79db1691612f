/**
 * A format of configuration files, edited as text so that everything else in it stays as its user wrote it. An empty
 * text is an empty document.
 */
import type { Document, Entry, KeyPath } from "./entry.ts";
import type { TextEdit } from "./text-edit.ts";

export interface Placed {
  readonly edit: TextEdit;
  /** How many keys of the path were there before; what lies between them and the entry was made for it. */
  readonly found: number;
}

/** A value that is no container, or a comment, which has no value. */
export interface Leaf {
  readonly start: number;
  readonly end: number;
  readonly value?: unknown;
}

export interface ConfigFormat {
  readonly name: string;
  /** Null when the text is not of this format, or is no document, or is too deep. */
  read(text: string): Document | null;
  /** Whether it is nested more deeply than can be edited safely. */
  isTooDeep(text: string): boolean;
  /** Line and column of the first thing that is not of this format; null when there is none. */
  whereBroken(text: string): string | null;
  /** Line and column of a key; null when it is not there. */
  whereIs(text: string, path: KeyPath): string | null;
  /** In the order of the text, which must be of this format. */
  leaves(text: string): readonly Leaf[];
  /** Null when something else is in the way. */
  put(text: string, entry: Entry): Placed | null;
  /** The text without what is at the path; null when nothing can be taken away there. */
  drop(text: string, path: readonly (string | number)[]): string | null;
}

/**
 * A text of another program without what its user wrote into it, which may be secret: every value that our entries do not
 * have, and every comment, becomes `…`. Keys, structure and lines stay.
 */
export function hideValues(format: ConfigFormat, text: string, ours: readonly Entry[]): string {
  const known = new Set(ours.flatMap(({ value }) => leavesOf(value)));
  let [hidden, from] = ["", 0];
  for (const { start, end, value } of format.leaves(text)) {
    const own = text.slice(start, end);
    const isTold = typeof value === "boolean" || known.has(value);
    hidden += text.slice(from, start) + (isTold ? own : own.replace(/[^\r\n]+/g, "…"));
    from = end;
  }
  return hidden + text.slice(from);
}

function leavesOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [value];
}
