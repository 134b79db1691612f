/** Fills a mailbox by plain SQL with copies of the one message it has, since ten thousand calls would take a minute. */
import { loadSqliteDriver, type SqliteHandle } from "../../src/store/sqlite/driver.ts";
import { serve } from "./serve.ts";

export interface FullMailbox {
  readonly database: string;
  readonly owner: string;
  /** How many messages it has in the end. */
  readonly messages: number;
}

type Row = Readonly<Record<string, unknown>>;

const fillMailbox = {
  async fill({ database, owner, messages }: FullMailbox): Promise<void> {
    const handle = loadSqliteDriver()(database);
    try {
      // The file is thrown away with the run, so nothing has to survive a power cut.
      handle.exec("PRAGMA synchronous = OFF; BEGIN IMMEDIATE");
      copyMessages(handle, owner, messages);
      handle.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      handle.close();
    }
  },
};

export type FillMailbox = typeof fillMailbox;

function copyMessages(handle: SqliteHandle, owner: string, messages: number): void {
  const delivery = handle.prepare("SELECT * FROM deliveries WHERE recipient = ?").get(owner) as Row;
  const event = handle.prepare("SELECT * FROM events WHERE event_id = ?").get(delivery["message_id"] as string) as Row;
  const last = Number(handle.prepare("SELECT max(delivery_seq) AS last FROM deliveries").get()?.["last"]);
  const lastEvent = Number(handle.prepare("SELECT last_seq FROM rooms").get()?.["last_seq"]);
  const [addEvent, addDelivery] = [insertLike(handle, "events", event), insertLike(handle, "deliveries", delivery)];
  for (let index = 1; index < messages; index += 1) {
    const [message_id, event_seq] = [`bench-${index}-1`, lastEvent + index];
    addEvent({ ...event, event_id: message_id, event_seq });
    addDelivery({ ...delivery, message_id, event_seq, delivery_seq: last + index });
  }
  handle.prepare("UPDATE rooms SET last_seq = ?").run(lastEvent + messages - 1);
  handle.prepare("UPDATE mailboxes SET pending = ? WHERE agent_id = ?").run(messages, owner);
}

function insertLike(handle: SqliteHandle, table: string, template: Row): (row: Row) => void {
  const columns = Object.keys(template);
  const marks = columns.map(() => "?").join(", ");
  const statement = handle.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks})`);
  return (row) => {
    statement.run(...(columns.map((column) => row[column]) as never[]));
  };
}

serve(fillMailbox);
