/**
 * The least program that could do what ours does: the same commits, the same bells and the same wake-ups, and no rule,
 * no name, no evidence and no log that means anything. What it takes is what no program in this runtime can do without.
 */
import { closeSync, futimesSync, openSync, watch } from "node:fs";
import { join } from "node:path";
import { loadSqliteDriver, type SqliteHandle, type SqliteStatement } from "../../src/store/sqlite/driver.ts";
import { type Mark, nowUs } from "../marks.ts";
import { pause } from "./pause.ts";
import { serve } from "./serve.ts";

const BODY = "x".repeat(200);
const BUSY_TIMEOUT_MS = 5000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS room (id INTEGER PRIMARY KEY, last INTEGER NOT NULL, turn INTEGER NOT NULL, next INTEGER) STRICT;
  CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, recipient INTEGER, body TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS deliveries (seq INTEGER PRIMARY KEY, recipient INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS pending ON deliveries (recipient, seq) WHERE state = 'pending';
  INSERT OR IGNORE INTO room VALUES (1, 0, 0, 0)`;

interface Turns {
  readonly arrivals: readonly Mark[];
  readonly starts: readonly Mark[];
}

let handle: SqliteHandle;
let me = 0;
let directory = "";
let processes = 0;
let wake: (() => void) | null = null;
const statements = new Map<string, SqliteStatement>();
const bells = new Map<number, number>();

const bareProgram = {
  async open(order: { readonly directory: string; readonly me: number; readonly processes: number }): Promise<void> {
    ({ directory, me, processes } = order);
    handle = loadSqliteDriver()(join(directory, "least.db"));
    handle.exec(
      `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${SCHEMA}`,
    );
    closeSync(openSync(bellOf(me), "a"));
    watch(bellOf(me), () => wake?.());
  },

  /** Tells process `to` of each of them. */
  async send(order: {
    readonly to: number;
    readonly count: number;
    readonly everyMs: number;
    readonly delivers: boolean;
  }) {
    const starts: Mark[] = [];
    for (let index = 0; index < order.count; index += 1) {
      const us = nowUs();
      const id = change(({ last }) => append(last, order.to, order.delivers));
      ring(order.to);
      starts.push([id, us]);
      await pause(order.everyMs);
    }
    return starts;
  },

  async hear({ count }: { readonly count: number }): Promise<readonly Mark[]> {
    const arrivals: Mark[] = [];
    let last = Number(statement("SELECT last FROM room").get()?.["last"]);
    while (arrivals.length < count) {
      const rang = rung();
      const rows = statement("SELECT seq, id, body FROM events WHERE seq > ? ORDER BY seq").all(last);
      if (rows.length === 0) await rang;
      for (const row of rows) arrivals.push([String(row["id"]), nowUs()]);
      last = Number(rows.at(-1)?.["seq"] ?? last);
    }
    return arrivals;
  },

  /** Takes each message by a commit that need not wait for the disk, and acknowledges it by another. */
  async take({ count }: { readonly count: number }): Promise<readonly Mark[]> {
    const arrivals: Mark[] = [];
    const next = "(SELECT seq FROM deliveries WHERE recipient = ? AND state = 'pending' ORDER BY seq LIMIT 1)";
    while (arrivals.length < count) {
      const rang = rung();
      const taken = unhurried(() => {
        const row = statement(`UPDATE deliveries SET state = 'taken' WHERE seq = ${next} RETURNING seq`).get(me);
        return row && statement("SELECT seq, id, body FROM events WHERE seq = ?").get(row["seq"] as number);
      });
      if (!taken) {
        await rang;
        continue;
      }
      arrivals.push([String(taken["id"]), nowUs()]);
      unhurried(() => statement("UPDATE deliveries SET state = 'acked' WHERE seq = ?").run(taken["seq"] as number));
    }
    return arrivals;
  },

  /** Holds the turn and gives it to the next process, `rounds` times. */
  async takeTurns({ rounds, holdMs }: { readonly rounds: number; readonly holdMs: number }): Promise<Turns> {
    const [arrivals, starts]: [Mark[], Mark[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      const turn = await myTurn();
      arrivals.push([String(turn), nowUs()]);
      await pause(holdMs);
      starts.push([String(turn + 1), nowUs()]);
      release();
    }
    return { arrivals, starts };
  },

  /** The same as fast as it goes; how often. */
  async contend({ forMs }: { readonly forMs: number }): Promise<number> {
    const until = nowUs() + forMs * 1000;
    let grants = 0;
    while ((await myTurn(until)) !== 0) {
      if (nowUs() < until) grants += 1;
      release();
    }
    return grants;
  },
};

export type BareProgram = typeof bareProgram;

/** 0 when the time is over. */
async function myTurn(untilUs = Number.POSITIVE_INFINITY): Promise<number> {
  while (nowUs() < untilUs) {
    // When the time is over nobody may be left to ring.
    const rang = rung(Math.min(60_000, (untilUs - nowUs()) / 1000));
    if (statement("SELECT next FROM room").get()?.["next"] === me) {
      return change(({ last, turn }) => {
        append(last, null, false);
        statement("UPDATE room SET turn = ? WHERE id = 1").run(turn + 1);
        return turn + 1;
      });
    }
    await rang;
  }
  return 0;
}

function release(): void {
  const next = (me + 1) % processes;
  change(({ last }) => {
    append(last, next, false);
    statement("UPDATE room SET next = ? WHERE id = 1").run(next);
  });
  ring(next);
}

function append(last: number, to: number | null, delivers: boolean): string {
  const [seq, id] = [last + 1, `${me}-${last + 1}`];
  statement("INSERT INTO events VALUES (?, ?, ?, ?)").run(seq, id, to, BODY);
  if (delivers) statement("INSERT INTO deliveries VALUES (?, ?, 'pending')").run(seq, to);
  statement("UPDATE room SET last = ? WHERE id = 1").run(seq);
  return id;
}

function change<Result>(work: (room: { readonly last: number; readonly turn: number }) => Result): Result {
  statement("BEGIN IMMEDIATE").run();
  const room = statement("SELECT last, turn FROM room").get();
  const result = work({ last: Number(room?.["last"]), turn: Number(room?.["turn"]) });
  statement("COMMIT").run();
  return result;
}

function unhurried<Result>(work: () => Result): Result {
  handle.exec("PRAGMA synchronous = NORMAL");
  try {
    return change(work);
  } finally {
    handle.exec("PRAGMA synchronous = FULL");
  }
}

function statement(sql: string): SqliteStatement {
  const known = statements.get(sql) ?? handle.prepare(sql);
  statements.set(sql, known);
  return known;
}

function bellOf(process: number): string {
  return join(directory, `bell-${process}`);
}

function ring(process: number): void {
  const bell = bells.get(process) ?? openSync(bellOf(process), "a");
  bells.set(process, bell);
  const now = new Date();
  futimesSync(bell, now, now);
}

function rung(withinMs = 60_000): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, withinMs);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

serve(bareProgram);
