/** How many connections of the server a process takes, and for how long. */
import postgres from "postgres";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { Database } from "../../src/store/postgres/database.ts";
import { openPostgres } from "../../src/store/postgres/open.ts";
import { raw, sql } from "../../src/store/sql/statement.ts";
import { makeRoom, ROOM_ID, touch } from "./one-room.ts";

const server = inject("postgresUrl");
if (server === null) process.stderr.write("SKIPPED: the connections of the PostgreSQL store: there is no server\n");

/** A name by which the server knows the connections of this test, and how many it sees. */
function counted() {
  const name = `counted_${Math.random().toString(36).slice(2)}`;
  const url = new URL(server as string);
  url.searchParams.set("application_name", name);
  const admin = postgres(server as string, { max: 2, onnotice: () => undefined, connection: { search_path: name } });
  onTestFinished(async () => {
    await admin.unsafe(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
    await admin.end();
  });
  const pids = async () => {
    const rows = await admin`SELECT pid FROM pg_stat_activity WHERE application_name = ${name} ORDER BY pid`;
    return rows.map(({ pid }) => Number(pid));
  };
  return { url: url.href, schema: name, admin, pids };
}

async function opened({ url, schema }: { readonly url: string; readonly schema: string }) {
  const { store, bell } = await openPostgres({ url, schema });
  onTestFinished(async () => {
    await bell.close();
    await store.close();
  });
  await makeRoom(store);
  return { store, bell };
}

describe.skipIf(server === null)("a process on PostgreSQL", () => {
  test("that waits hears rings and looks on one connection, and keeps it", async () => {
    const counts = counted();
    const { store, bell } = await opened(counts);
    const subscription = await bell.subscribe(asAgentId("claude:1"));
    const first = await counts.pids();
    expect(first).toHaveLength(1);
    await Promise.all(Array.from({ length: 20 }, () => store.readRoom(ROOM_ID)));
    await bell.ring([asAgentId("claude:1")]);
    expect(await subscription.next(10_000)).toBe("rang");
    // Longer than a connection is kept that is not needed.
    expect(await subscription.next(6000)).toBe("timeout");
    expect(await counts.pids()).toEqual(first);
    await bell.ring([asAgentId("claude:1")]);
    expect(await subscription.next(10_000)).toBe("rang");
  });

  test("that works beside a change that waits for a lock takes a second one, no third, and gives it back", async () => {
    const counts = counted();
    const { store, bell } = await opened(counts);
    await bell.subscribe(asAgentId("claude:1"));
    const { changes } = await counts.admin.begin(async (transaction) => {
      await transaction`SELECT 1 FROM rooms FOR UPDATE`;
      const waiting = [touch(store, "one"), touch(store, "two"), touch(store, "three")];
      await expect.poll(async () => (await counts.pids()).length).toBe(2);
      return { changes: Promise.all(waiting) };
    });
    await changes;
    await Promise.all(Array.from({ length: 20 }, () => store.readRoom(ROOM_ID)));
    expect(await counts.pids()).toHaveLength(2);
    await expect.poll(async () => (await counts.pids()).length).toBe(1);
  });

  test("that does nothing gives its connection back, and opens another one when it has to", async () => {
    const counts = counted();
    const { store, bell } = await opened(counts);
    const subscription = await bell.subscribe(asAgentId("claude:1"));
    subscription.close();
    await expect.poll(async () => (await counts.pids()).length).toBe(0);
    expect((await store.readRoom(ROOM_ID))?.room.path).toBe("/projects");
  });

  test("that closes its store ends the calls that still wait for a connection", async () => {
    const { url, schema, pids } = counted();
    const database = new Database({ url, schema, budgetMs: 3000, maxConnections: 1 });
    const calls = Array.from({ length: 3 }, () => database.query(raw("SELECT pg_sleep(2)")));
    const outcomes = Promise.allSettled(calls);
    await expect.poll(async () => (await pids()).length).toBe(1);
    await database.close();
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: "rejected", reason: { name: "Fault", code: "store_unreachable" } });
  });

  test("has its statements never compiled, and its settings on every connection", async () => {
    const { url, schema } = counted();
    const database = new Database({ url, schema, budgetMs: 3000, maxConnections: 2 });
    onTestFinished(() => database.close());
    const settings = ["jit", "search_path", "synchronous_commit", "lock_timeout", "statement_timeout"];
    const ask = raw(`SELECT ${settings.map((name) => `current_setting('${name}') AS ${name}`).join(", ")}`);
    expect(await database.query(ask)).toMatchObject([
      { jit: "off", search_path: schema, synchronous_commit: "on", lock_timeout: "3s", statement_timeout: "4s" },
    ]);
  });

  test.each([
    "plain",
    "it's",
    "\\",
    "\\'; DROP TABLE rooms; --",
    "''\\\\''",
    "?",
    "$1",
    "E'\\n'",
    "\n\t\u{1F422}\u2028",
    "\uD800",
    "",
    "0x10",
  ])("reads back %j, written into a statement or given as a parameter", async (value) => {
    const { url, schema } = counted();
    const database = new Database({ url, schema, budgetMs: 3000, maxConnections: 1 });
    onTestFinished(() => database.close());
    const answers = new Set<unknown>();
    for (let run = 0; run < 12; run += 1) {
      const [row] = await database.query(
        sql`SELECT ${value}::text AS value, ${7}::int AS number, ${null}::text AS none`,
      );
      expect(row).toMatchObject({ number: 7, none: null });
      answers.add(row?.["value"]);
    }
    expect([...answers]).toEqual([value.replace("\uD800", "\uFFFD")]);
  });
});
