/** OpenCode's own database, read and never written. */
import type { ReadOnlyDatabase } from "../contract.ts";
import { textIn } from "../records.ts";

export interface OpencodeMessage {
  readonly id: string;
  readonly role: string | null;
  readonly createdMs: number;
  readonly updatedMs: number;
}

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

const MESSAGES = `SELECT id, json_extract(data, '$.role') AS role, time_created, time_updated FROM message
  WHERE session_id = ? AND (time_created, id) < (?, ?) ORDER BY time_created DESC, id DESC LIMIT ?`;

/** Does not read the answers of tools, nor texts that are too long to hold. */
const PARTS = `SELECT json_extract(data, '$.type') AS type, json_extract(data, '$.text') AS text,
  COALESCE(json_extract(data, '$.synthetic'), 0) AS synthetic, json_extract(data, '$.tool') AS tool,
  json_extract(data, '$.state.input') AS input, bytes
  FROM (SELECT id, length(CAST(data AS BLOB)) AS bytes, CASE WHEN length(CAST(data AS BLOB)) <= ? THEN data ELSE '{}' END AS data
    FROM part WHERE message_id = ?) ORDER BY id`;

/** The messages of a session before the given one, newest first. */
export function messagesBefore(
  database: ReadOnlyDatabase,
  sessionId: string,
  before: OpencodeMessage | null,
  limit: number,
): readonly OpencodeMessage[] {
  const from: [number, string] = before ? [before.createdMs, before.id] : [Number.MAX_SAFE_INTEGER, ""];
  const rows = database.prepare(MESSAGES).all(sessionId, ...from, limit);
  return rows.map((row) => ({
    id: String(row["id"]),
    role: textIn(row["role"]),
    createdMs: Number(row["time_created"]),
    updatedMs: Number(row["time_updated"]),
  }));
}

export function partsOf(database: ReadOnlyDatabase, messageId: string, maxBytes: number): readonly OpencodePart[] {
  const rows = database.prepare(PARTS).all(maxBytes, messageId);
  return rows.map((row) => ({
    type: textIn(row["type"]),
    text: textIn(row["text"]),
    synthetic: row["synthetic"] === 1,
    tool: textIn(row["tool"]),
    input: textIn(row["input"]),
    bytes: Number(row["bytes"]),
  }));
}
