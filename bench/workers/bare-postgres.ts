/** The floor on PostgreSQL: one statement that inserts, counts and notifies, and a listener that fetches the row. */
import postgres from "postgres";
import { type Mark, nowUs } from "../marks.ts";
import { pause } from "./pause.ts";
import { serve } from "./serve.ts";

const BODY = "x".repeat(200);
const CHANNEL = "bench_floor";

let sql: postgres.Sql;
let arrivals: Mark[] = [];
let onArrival = (): void => undefined;

const barePostgres = {
  async open({ url }: { readonly url: string }): Promise<void> {
    sql = postgres(url, { max: 2, onnotice: () => undefined });
    await sql.unsafe(`
      CREATE SCHEMA IF NOT EXISTS bench_floor;
      CREATE TABLE IF NOT EXISTS bench_floor.events (id bigserial PRIMARY KEY, body text NOT NULL);
      CREATE TABLE IF NOT EXISTS bench_floor.room (id int PRIMARY KEY, last bigint NOT NULL);
      INSERT INTO bench_floor.room VALUES (1, 0) ON CONFLICT DO NOTHING`);
  },

  async write({ count, everyMs }: { readonly count: number; readonly everyMs: number }): Promise<readonly Mark[]> {
    const starts: Mark[] = [];
    for (let index = 0; index < count; index += 1) {
      const us = nowUs();
      const [row] = await sql`
        WITH added AS (INSERT INTO bench_floor.events (body) VALUES (${BODY}) RETURNING id),
             counted AS (UPDATE bench_floor.room SET last = last + 1 WHERE id = 1)
        SELECT id, pg_notify(${CHANNEL}, id::text) FROM added`;
      starts.push([String(row?.["id"]), us]);
      await pause(everyMs);
    }
    return starts;
  },

  async listen(): Promise<void> {
    await sql.listen(CHANNEL, (id) => {
      // A fetch that fails ends this process, which is an answer too.
      void fetchRow(id);
    });
  },

  /** Resolves when `count` rows are in hand, with when each was. */
  async hear({ count }: { readonly count: number }): Promise<readonly Mark[]> {
    await new Promise<void>((resolve) => {
      onArrival = () => {
        if (arrivals.length >= count) resolve();
      };
      onArrival();
    });
    const heard = arrivals;
    arrivals = [];
    return heard;
  },
};

export type BarePostgres = typeof barePostgres;

async function fetchRow(id: string): Promise<void> {
  const rows = await sql`SELECT id, body FROM bench_floor.events WHERE id = ${id}`;
  const us = nowUs();
  for (const row of rows) arrivals.push([String(row["id"]), us]);
  onArrival();
}

serve(barePostgres);
