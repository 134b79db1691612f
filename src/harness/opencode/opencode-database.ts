/** OpenCode's own database, read and never written. Rows come out as they are; transcript.ts knows their meaning. */
import type { SqlRow } from "../../store/sql/statement.ts";
import { loadReadOnlySqliteDriver } from "../../store/sqlite/driver.ts";
import type { OpencodeDatabase, OpencodeMessage, OpencodePart } from "./transcript.ts";

const MESSAGES = `SELECT id, json_extract(data, '$.role') AS role, time_created, time_updated FROM message
  WHERE session_id = ? AND (time_created, id) < (?, ?) ORDER BY time_created DESC, id DESC LIMIT ?`;

/** What tools answered stays where it is, and so does what is too long to be held. */
const PARTS = `SELECT json_extract(data, '$.type') AS type, json_extract(data, '$.text') AS text,
  COALESCE(json_extract(data, '$.synthetic'), 0) AS synthetic, json_extract(data, '$.tool') AS tool,
  json_extract(data, '$.state.input') AS input, bytes
  FROM (SELECT id, length(CAST(data AS BLOB)) AS bytes, CASE WHEN length(CAST(data AS BLOB)) <= ? THEN data ELSE '{}' END AS data
    FROM part WHERE message_id = ?) ORDER BY id`;

/** Throws what the driver throws: no file, no database, another schema. */
export function openOpencodeDatabase(file: string): OpencodeDatabase {
  const database = loadReadOnlySqliteDriver()(file);
  return {
    messagesBefore(sessionId: string, before: OpencodeMessage | null, limit: number): readonly OpencodeMessage[] {
      const from = before ? [before.createdMs, before.id] : [Number.MAX_SAFE_INTEGER, ""];
      return database
        .prepare(MESSAGES)
        .all(sessionId, ...(from as [number, string]), limit)
        .map(messageOf);
    },
    partsOf(messageId: string, maxBytes: number): readonly OpencodePart[] {
      return database.prepare(PARTS).all(maxBytes, messageId).map(partOf);
    },
    close: () => database.close(),
  };
}

function messageOf(row: SqlRow): OpencodeMessage {
  return {
    id: String(row["id"]),
    role: textOf(row["role"]),
    createdMs: Number(row["time_created"]),
    updatedMs: Number(row["time_updated"]),
  };
}

function partOf(part: SqlRow): OpencodePart {
  return {
    type: textOf(part["type"]),
    text: textOf(part["text"]),
    synthetic: part["synthetic"] === 1,
    tool: textOf(part["tool"]),
    input: textOf(part["input"]),
    bytes: Number(part["bytes"]),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
