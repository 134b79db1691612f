/**
 * Fills a room's log with notes by plain SQL, since a million calls would take an hour. What it writes is what
 * the calls would have written, so the store stays whole.
 */
import { loadSqliteDriver, type SqliteHandle } from "../../../src/store/sqlite/driver.ts";

export interface LongLog {
  readonly roomId: string;
  readonly agentId: string;
  /** How many events the log has in the end. */
  readonly events: number;
}

const NUMBERS = "WITH RECURSIVE n (seq) AS (SELECT ? UNION ALL SELECT seq + 1 FROM n WHERE seq < ?)";
const BODY = "x".repeat(160);
const NOTE_ID = "printf('bench-%019d', seq)";

export function lengthenLog(file: string, log: LongLog): void {
  const handle = loadSqliteDriver()(file);
  try {
    // The file is thrown away with the run, so nothing has to survive a power cut.
    handle.exec("PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON; BEGIN IMMEDIATE");
    addNotes(handle, log);
    handle.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    handle.close();
  }
}

function addNotes(handle: SqliteHandle, { roomId, agentId, events }: LongLog): void {
  const first = Number(handle.prepare("SELECT last_seq FROM rooms WHERE room_id = ?").get(roomId)?.["last_seq"]) + 1;
  const createdAt = new Date().toISOString();
  const payload = `json_object('note_id', ${NOTE_ID}, 'turn_id', NULL, 'preview', substr(?, 1, 80), 'body', ?)`;
  handle
    .prepare(
      `${NUMBERS} INSERT INTO events (room_id, event_seq, event_id, turn_id, event_type, from_agent_id, created_at, payload)
       SELECT ?, seq, ${NOTE_ID} || '-1', 2, 'note_added', ?, ?, ${payload} FROM n`,
    )
    .run(first, events, roomId, agentId, createdAt, BODY, BODY);
  handle
    .prepare(
      `${NUMBERS} INSERT INTO notes (note_id, room_id, author_agent_id, body, created_at, event_seq)
       SELECT ${NOTE_ID}, ?, ?, json_quote(?), ?, seq FROM n`,
    )
    .run(first, events, roomId, agentId, BODY, createdAt);
  handle.prepare("UPDATE rooms SET last_seq = ? WHERE room_id = ?").run(events, roomId);
}
