/**
 * The least program for the row "hot": the same operations as commits, bells and reads, in several rooms of one file,
 * and no rule, no name, no evidence and no log that means anything.
 */
import { closeSync, futimesSync, openSync } from "node:fs";
import { join } from "node:path";
import { loadSqliteDriver, type SqliteHandle, type SqliteStatement } from "../../src/store/sqlite/driver.ts";
import { nowUs } from "../marks.ts";
import { type Deed, deedAt } from "./deeds.ts";
import { serve } from "./serve.ts";

const BODY = "x".repeat(200);
/** It would rather wait than fail. */
const BUSY_TIMEOUT_MS = 60_000;
const NEWEST = 20;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS rooms (id INTEGER PRIMARY KEY, last INTEGER NOT NULL, owner INTEGER) STRICT;
  CREATE TABLE IF NOT EXISTS members (id INTEGER PRIMARY KEY, room INTEGER NOT NULL, seen INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS events (room INTEGER NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (room, seq)) STRICT;
  CREATE TABLE IF NOT EXISTS deliveries (seq INTEGER PRIMARY KEY, recipient INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS pending ON deliveries (recipient, seq) WHERE state = 'pending';`;

interface Order {
  readonly directory: string;
  readonly me: number;
  readonly room: number;
  /** The process that it sends to and rings for. */
  readonly peer: number;
}

let handle: SqliteHandle;
let order: Order;
const statements = new Map<string, SqliteStatement>();

const bareHot = {
  /** The file must be there before many open it: SQLite does not wait while a new file changes its journal. */
  async open(mine: Order): Promise<void> {
    order = mine;
    open();
    handle.exec(SCHEMA);
    handle.exec(`INSERT OR IGNORE INTO rooms VALUES (${order.room}, 0, NULL)`);
    closeSync(openSync(bellOf(order.me), "a"));
  },

  /** How many operations it did. */
  async mixed({ forMs }: { readonly forMs: number }): Promise<number> {
    const until = nowUs() + forMs * 1000;
    let done = 0;
    for (let index = 0; nowUs() < until; index += 1) {
      const deeds = perform(deedAt(index));
      if (nowUs() < until) done += deeds;
      await Promise.resolve();
    }
    return done;
  },
};

export type BareHot = typeof bareHot;

/** How many operations these were. */
function perform(deed: Deed): number {
  const { room, me, peer } = order;
  if (deed === "reopen") return reopen();
  if (deed === "read") {
    statement("SELECT last, owner FROM rooms WHERE id = ?").get(room);
    statement(`SELECT seq, body FROM events WHERE room = ? ORDER BY seq DESC LIMIT ${NEWEST}`).all(room);
  } else if (deed === "send") {
    change(() => {
      append(room);
      statement("INSERT INTO deliveries (recipient, state) VALUES (?, 'pending')").run(peer);
    });
    ring(peer);
  } else if (deed === "take") {
    const next = "(SELECT seq FROM deliveries WHERE recipient = ? AND state = 'pending' ORDER BY seq LIMIT 1)";
    handle.exec("PRAGMA synchronous = NORMAL");
    const taken = change(() =>
      statement(`UPDATE deliveries SET state = 'taken' WHERE seq = ${next} RETURNING seq`).get(me),
    );
    const seq = taken?.["seq"];
    if (typeof seq === "number")
      change(() => statement("UPDATE deliveries SET state = 'acked' WHERE seq = ?").run(seq));
    handle.exec("PRAGMA synchronous = FULL");
  } else if (change(() => take(room, me))) {
    change(() => {
      append(room);
      statement("UPDATE rooms SET owner = NULL WHERE id = ?").run(room);
    });
    ring(peer);
  }
  return 1;
}

function take(room: number, me: number): boolean {
  if (statement("SELECT owner FROM rooms WHERE id = ?").get(room)?.["owner"] !== null) return false;
  append(room);
  statement("UPDATE rooms SET owner = ? WHERE id = ?").run(me, room);
  return true;
}

/** Opens the file again and joins. */
function reopen(): number {
  statements.clear();
  handle.close();
  open();
  const { me, room } = order;
  change(() => statement("INSERT OR REPLACE INTO members VALUES (?, ?, ?)").run(me, room, Date.now()));
  return 2;
}

function open(): void {
  handle = loadSqliteDriver()(join(order.directory, "least.db"));
  handle.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL`);
}

function append(room: number): void {
  const seq = Number(statement("SELECT last FROM rooms WHERE id = ?").get(room)?.["last"]) + 1;
  statement("INSERT INTO events VALUES (?, ?, ?)").run(room, seq, BODY);
  statement("UPDATE rooms SET last = ? WHERE id = ?").run(seq, room);
}

function change<Result>(work: () => Result): Result {
  statement("BEGIN IMMEDIATE").run();
  const result = work();
  statement("COMMIT").run();
  return result;
}

function statement(sql: string): SqliteStatement {
  const known = statements.get(sql) ?? handle.prepare(sql);
  statements.set(sql, known);
  return known;
}

function bellOf(process: number): string {
  return join(order.directory, `bell-${process}`);
}

function ring(process: number): void {
  const bell = openSync(bellOf(process), "a");
  const now = new Date();
  futimesSync(bell, now, now);
  closeSync(bell);
}

serve(bareHot);
