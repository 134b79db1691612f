/** OpenCode keeps all sessions in one database. This file says what its rows mean; opencode-database.ts reads them. */

import { wallTime } from "../../core/time.ts";
import { type ParsedRecord, type Turn, toolLine } from "../../peers/rules/transcript.ts";
import { isRegularFile } from "../../platform/files/list-names.ts";
import type { HarnessTranscript } from "../transcript.ts";

/** One part of a message: only what a reader is shown, since what tools answered can be very long. */
export interface OpencodePart {
  readonly type: string | null;
  readonly text: string | null;
  readonly synthetic: boolean;
  readonly tool: string | null;
  readonly input: string | null;
  /** How long it is as it is stored; one that is too long has nothing else. */
  readonly bytes: number;
}

export interface OpencodeMessage {
  readonly id: string;
  readonly role: string | null;
  readonly createdMs: number;
  readonly updatedMs: number;
}

/** Messages of a session before a given one, newest first. */
export interface OpencodeDatabase {
  messagesBefore(sessionId: string, before: OpencodeMessage | null, limit: number): readonly OpencodeMessage[];
  partsOf(messageId: string, maxBytes: number): readonly OpencodePart[];
  close(): void;
}

export type OpenOpencodeDatabase = (file: string) => OpencodeDatabase;

const SILENT_PARTS = new Set(
  "step-start step-finish reasoning file snapshot patch agent subtask retry compaction".split(" "),
);

export const opencodeTranscript: HarnessTranscript = {
  find({ env, home }) {
    const file = `${env["XDG_DATA_HOME"] || `${home}/.local/share`}/opencode/opencode.db`;
    return isRegularFile(file) ? file : null;
  },
  parse: null,
};

/** The turns of a message, and how many of its parts are of unknown kinds. */
export function opencodeTurns(
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
