/** An event of a type that only a newer program knows, written into an embedded store behind the program's back. */
import { loadSqliteDriver } from "../../src/store/sqlite/driver.ts";

export function writeNewerEvent(database: string): void {
  const handle = loadSqliteDriver()(database);
  handle.exec(`
    BEGIN IMMEDIATE;
    INSERT INTO events (room_id, event_seq, event_id, turn_id, event_type, from_agent_id, created_at, payload)
      SELECT room_id, last_seq + 1, 'newer-1', 0, 'stick_juggled', 'claude:1', '2026-11-19T12:00:00.000Z', '{"balls":3}' FROM rooms;
    UPDATE rooms SET last_seq = last_seq + 1;
    COMMIT;`);
  handle.close();
}
