/**
 * The floor under every durable event: the same driver and the same kind of file, and nothing else. A writer
 * commits 200 bytes and a counter, a reader spins until the file has changed and fetches what is new.
 */
import { loadSqliteDriver, type SqliteHandle } from "../../src/store/sqlite/driver.ts";
import { type Mark, nowUs } from "../marks.ts";
import { pause } from "./pause.ts";
import { serve } from "./serve.ts";

const BODY = "x".repeat(200);
const GIVE_UP_US = 60_000_000;
const MIN_PAUSE_MS = 0.5;
const MAX_PAUSE_MS = 2;

let handle: SqliteHandle;
let commit: () => number;
let lastSeen = 0;

const bareSqlite = {
  async open({ file }: { readonly file: string }): Promise<void> {
    handle = loadSqliteDriver()(file);
    handle.exec("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    handle.exec("CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT");
    handle.exec("CREATE TABLE IF NOT EXISTS room (id INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT");
    handle.exec("INSERT OR IGNORE INTO room VALUES (1, 0)");
    handle.exec("PRAGMA busy_timeout = 0");
    commit = preparedCommit();
  },

  /** Commits at a pace, and answers when each was begun. */
  async write({ count, everyMs }: { readonly count: number; readonly everyMs: number }): Promise<readonly Mark[]> {
    const starts: Mark[] = [];
    for (let index = 0; index < count; index += 1) {
      const us = nowUs();
      starts.push([String(commit()), us]);
      await pause(everyMs);
    }
    return starts;
  },

  /** Spins until `count` rows are in hand, and answers when each was. */
  async spin({ count }: { readonly count: number }): Promise<readonly Mark[]> {
    const version = handle.prepare("PRAGMA data_version");
    const newer = handle.prepare("SELECT id, body FROM events WHERE id > ? ORDER BY id");
    const arrivals: Mark[] = [];
    const giveUp = nowUs() + GIVE_UP_US;
    let known: unknown = null;
    while (arrivals.length < count && nowUs() < giveUp) {
      const seen = version.get()?.["data_version"];
      if (seen === known) continue;
      known = seen;
      const rows = newer.all(lastSeen);
      const us = nowUs();
      for (const row of rows) arrivals.push([String(row["id"]), us]);
      lastSeen = Number(rows.at(-1)?.["id"] ?? lastSeen);
    }
    return arrivals;
  },

  /** Commits as fast as it can beside others, and answers how often. */
  async hammer({ forMs }: { readonly forMs: number }): Promise<number> {
    const until = nowUs() + forMs * 1000;
    let commits = 0;
    while (nowUs() < until) {
      try {
        commit();
        commits += 1;
      } catch {
        // The lock is taken. The pause is that of the program's own store: one that never waits starves the others.
        await pause(MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS));
      }
    }
    return commits;
  },
};

export type BareSqlite = typeof bareSqlite;

function preparedCommit(): () => number {
  const begin = handle.prepare("BEGIN IMMEDIATE");
  const insert = handle.prepare("INSERT INTO events (body) VALUES (?) RETURNING id");
  const update = handle.prepare("UPDATE room SET last = ? WHERE id = 1");
  const end = handle.prepare("COMMIT");
  return () => {
    begin.run();
    const id = Number(insert.get(BODY)?.["id"]);
    update.run(id);
    end.run();
    return id;
  };
}

serve(bareSqlite);
