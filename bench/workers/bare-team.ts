/**
 * The same statements as a team's over PostgreSQL, without a rule: a message, its receipt and acknowledgement, a look at
 * the room and a note. Each change is two round trips, as ours is, and its connection prepares what it sends.
 */
import postgres from "postgres";
import { nowUs } from "../marks.ts";
import { serve } from "./serve.ts";

const BODY = "x".repeat(200);
const SCHEMA = `
  CREATE SCHEMA IF NOT EXISTS bench_team;
  CREATE TABLE IF NOT EXISTS bench_team.rooms (id int PRIMARY KEY, last bigint NOT NULL);
  CREATE TABLE IF NOT EXISTS bench_team.members (room int NOT NULL, id int NOT NULL, PRIMARY KEY (room, id));
  CREATE TABLE IF NOT EXISTS bench_team.boxes (id int PRIMARY KEY, pending bigint NOT NULL);
  CREATE TABLE IF NOT EXISTS bench_team.events (room int NOT NULL, seq bigint NOT NULL, id text NOT NULL UNIQUE, body text NOT NULL, PRIMARY KEY (room, seq));
  CREATE TABLE IF NOT EXISTS bench_team.deliveries (seq bigserial PRIMARY KEY, recipient int NOT NULL, message text NOT NULL, state text NOT NULL);
  CREATE INDEX IF NOT EXISTS pending ON bench_team.deliveries (recipient, seq) WHERE state = 'pending';
  CREATE INDEX IF NOT EXISTS by_message ON bench_team.deliveries (message)`;

interface Place {
  readonly url: string;
  readonly me: number;
  readonly to: number;
  readonly room: number;
}

type Answers = readonly (readonly Readonly<Record<string, unknown>>[])[];
type Asked = readonly [text: string, values: readonly (string | number)[]];

let sql: postgres.ReservedSql;
let place: Place;
let count = 0;

/** Sends all of them at once. */
async function ask(...statements: readonly Asked[]): Promise<Answers> {
  const sent = statements.map(([text, values]) => sql.unsafe(text, [...values], { prepare: values.length > 0 }));
  return (await Promise.all(sent)) as Answers;
}

const BEGIN: Asked = ["BEGIN", []];
const COMMIT: Asked = ["COMMIT", []];
const NO_FSYNC: Asked = ["SET LOCAL synchronous_commit TO off", []];

async function lockRoom(): Promise<number> {
  const { room } = place;
  const [, rows] = await ask(
    BEGIN,
    ["SELECT last FROM bench_team.rooms WHERE id = $1 FOR UPDATE", [room]],
    ["SELECT id FROM bench_team.members WHERE room = $1", [room]],
  );
  return Number(rows?.[0]?.["last"]) + 1;
}

async function append(seq: number, delivers: boolean): Promise<void> {
  const { me, to, room } = place;
  count += 1;
  const delivery =
    "added AS (INSERT INTO bench_team.deliveries (recipient, message, state) VALUES ($5, $3, 'pending'))";
  const event = "event AS (INSERT INTO bench_team.events VALUES ($1, $2, $3, $4))";
  const counted = "counted AS (UPDATE bench_team.rooms SET last = $2 WHERE id = $1)";
  const values = [room, seq, `${me}-${count}-${nowUs()}`, BODY];
  await ask(
    delivers
      ? [`WITH ${event}, ${delivery}, ${counted} SELECT 1`, [...values, to]]
      : [`WITH ${event}, ${counted} SELECT 1`, values],
    COMMIT,
    ["SELECT set_config('synchronous_commit', 'off', true), pg_notify('bench_team', $1)", [String(to)]],
  );
}

async function lockBox(state: string): Promise<number | null> {
  const { me } = place;
  const [, , rows] = await ask(
    BEGIN,
    ["SELECT pending FROM bench_team.boxes WHERE id = $1 FOR UPDATE", [me]],
    [`SELECT seq FROM bench_team.deliveries WHERE recipient = $1 AND state = '${state}' ORDER BY seq LIMIT 1`, [me]],
  );
  const seq = rows?.[0]?.["seq"];
  return seq === undefined ? null : Number(seq);
}

async function turnTo(state: string, seq: number | null): Promise<void> {
  await ask(NO_FSYNC, ["UPDATE bench_team.deliveries SET state = $1 WHERE seq = $2", [state, seq ?? 0]], COMMIT, [
    "SELECT e.body FROM bench_team.events e JOIN bench_team.deliveries d ON d.message = e.id WHERE d.seq = $1",
    [seq ?? 0],
  ]);
}

const bareTeam = {
  async open(order: Place): Promise<void> {
    place = order;
    const client = postgres(order.url, { max: 1, onnotice: () => undefined, connection: { jit: false } });
    // One after the other: statements that create a table at the same time disturb each other.
    await client.unsafe(`BEGIN; SELECT pg_advisory_xact_lock(1); ${SCHEMA};
      INSERT INTO bench_team.rooms VALUES (${order.room}, 0) ON CONFLICT DO NOTHING;
      INSERT INTO bench_team.members VALUES (${order.room}, ${order.me}) ON CONFLICT DO NOTHING;
      INSERT INTO bench_team.boxes VALUES (${order.me}, 0) ON CONFLICT DO NOTHING; COMMIT`);
    sql = await client.reserve();
  },

  /** Gives both databases so many messages that were read long ago, in the room of this member and for others. */
  async fill({ deliveries }: { readonly deliveries: number }): Promise<void> {
    await sql.unsafe(`BEGIN; SET LOCAL synchronous_commit TO off; SET LOCAL session_replication_role TO replica;
      INSERT INTO bench_team.events SELECT -1, n, 'old-' || n, '${BODY}' FROM generate_series(1, ${deliveries}) n;
      INSERT INTO bench_team.deliveries (recipient, message, state)
        SELECT -1 - n % 100, 'old-' || n, 'acked' FROM generate_series(1, ${deliveries}) n;
      SET LOCAL search_path TO talking_stick;
      CREATE TEMP TABLE event ON COMMIT DROP AS SELECT * FROM events WHERE event_type = 'message_sent' LIMIT 1;
      CREATE TEMP TABLE delivery ON COMMIT DROP AS SELECT d.* FROM deliveries d JOIN event ON message_id = event_id;
      CREATE TEMP TABLE room ON COMMIT DROP AS SELECT r.* FROM rooms r JOIN event USING (room_id);
      INSERT INTO events SELECT (jsonb_populate_record(event, jsonb_build_object(
        'event_id', 'old-' || n, 'event_seq', room.last_seq + n))).* FROM event, room, generate_series(1, ${deliveries}) n;
      INSERT INTO deliveries SELECT (jsonb_populate_record(delivery, jsonb_build_object(
        'message_id', 'old-' || n, 'msg_id', 'old-' || n, 'event_seq', room.last_seq + n,
        'delivery_seq', nextval('delivery_seq'), 'recipient', 'old:' || n % 100, 'state', 'acked', 'due_epoch', NULL,
        'due_ms', NULL, 'ended_at', delivery.expires_at))).* FROM delivery, room, generate_series(1, ${deliveries}) n;
      UPDATE rooms SET last_seq = rooms.last_seq + ${deliveries} FROM room WHERE rooms.room_id = room.room_id;
      COMMIT`);
  },

  /** How many operations. */
  async mix({ forMs }: { readonly forMs: number }): Promise<number> {
    const untilUs = nowUs() + forMs * 1000;
    let operations = 0;
    while (nowUs() < untilUs) {
      await append(await lockRoom(), true);
      await turnTo("taken", await lockBox("pending"));
      await turnTo("acked", await lockBox("taken"));
      await ask(
        ["SELECT id, last FROM bench_team.rooms WHERE id = $1", [place.room]],
        ["SELECT id FROM bench_team.members WHERE room = $1", [place.room]],
      );
      await append(await lockRoom(), false);
      operations += 5;
    }
    return operations;
  },
};

export type BareTeam = typeof bareTeam;

serve(bareTeam);
