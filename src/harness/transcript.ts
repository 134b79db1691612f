/** What differs between harnesses when their transcripts are looked for and read. */

import type { Variables } from "../core/harness.ts";
import type { RecordParser } from "../peers/rules/transcript.ts";

/** Where a session's transcript is looked for. */
export interface TranscriptSearch {
  readonly sessionId: string;
  readonly cwd: string | null;
  readonly env: Variables;
  readonly home: string;
}

export interface HarnessTranscript {
  /** By the harness's own rule; null when there is none. */
  find(search: TranscriptSearch): string | null;
  /** Of one line of its file; null for a harness that keeps a database. */
  readonly parse: RecordParser | null;
}

/** Whether somebody who works in the one directory may well have begun in the other: it is the same, or within it. */
export function areRelated(a: string, b: string): boolean {
  return a === b || isWithin(a, b) || isWithin(b, a);
}

function isWithin(root: string, path: string): boolean {
  return path.startsWith(root.endsWith("/") ? root : `${root}/`);
}

/** A field of a record that somebody else's program wrote, or null when it is of another kind. */
export function textIn(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(objectIn) : [];
}
