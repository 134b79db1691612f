import postgres from "postgres";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import type { Bell } from "../../src/engine/ports/bell.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { openPostgresBell } from "../../src/store/postgres/bell.ts";
import { Database } from "../../src/store/postgres/database.ts";
import { openPostgresStore, type PostgresOptions } from "../../src/store/postgres/open.ts";
import { writeTogether } from "../../src/store/postgres/together.ts";
import { raw } from "../../src/store/sql/statement.ts";
import { bundleFixture, startFixture } from "../support/fixture.ts";
import { flakyLink } from "./flaky-link.ts";
import { makeRoom, ROOM_ID, touch } from "./one-room.ts";

const server = inject("postgresUrl");

if (server === null) process.stderr.write("SKIPPED: the failures of the PostgreSQL store: there is no server\n");

describe.skipIf(server === null)("the PostgreSQL store", () => {
  test("sixteen openers of a new schema all succeed", async () => {
    const { schema } = newSchema();
    const options = { url: server as string, schema };
    const stores = await Promise.all(Array.from({ length: 16 }, () => openStore(options)));
    await makeRoom(stores[15] as Store);
    expect((await stores[0]?.readRoom(ROOM_ID))?.room.path).toBe("/projects");
  });

  test("does not notice that an idle connection was ended", async () => {
    const { link, store } = await linked();
    for (let count = 0; count < 10; count += 1) {
      link.cut();
      await touch(store, `after ${count}`);
    }
    expect((await store.readRoom(ROOM_ID))?.room.state.turnHead).toBe("after 9");
  });

  test("is store_unreachable while the server is away, and goes on when it is back", async () => {
    const { link, store } = await linked();
    await link.down();
    const fault = { name: "Fault", code: "store_unreachable", retry: true, outcomeUnknown: false };
    await expect(touch(store, "away")).rejects.toMatchObject(fault);
    await expect(store.readRoom(ROOM_ID)).rejects.toMatchObject(fault);
    await link.up();
    await touch(store, "back");
    expect((await store.readRoom(ROOM_ID))?.room.state.turnHead).toBe("back");
  });

  test("survives being cut off at every moment, any number of times", async () => {
    const { link, store } = await linked();
    const cutting = setInterval(() => link.cut(), 7);
    for (let count = 0; count < 60; count += 1) {
      const outcome = await touch(store, `mark ${count}`).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toMatchObject({ name: "Fault", code: "store_unreachable" });
    }
    clearInterval(cutting);
    await touch(store, "last");
    expect((await store.readRoom(ROOM_ID))?.room.state.turnHead).toBe("last");
  });

  test("says that the outcome is open only if the commit was sent", async () => {
    for (const [word, when, outcomeUnknown, written] of [
      ["FOR UPDATE", "before", false, false],
      ["COMMIT\u0000", "before", true, false],
      ["COMMIT\u0000", "after", true, true],
    ] as const) {
      const { link, store, admin } = await linked();
      link.cutAt(word, when);
      const fault = { code: "store_unreachable", outcomeUnknown };
      await expect(touch(store, "maybe"), `${word} ${when}`).rejects.toMatchObject(fault);
      const [row] = await admin`SELECT turn_head FROM rooms`;
      expect(row?.["turn_head"], `${word} ${when}`).toBe(written ? "maybe" : null);
    }
  });

  test("does not wait for a silent server without end", async () => {
    const { link, store } = await linked({ budgetMs: 600 });
    link.silence();
    await expect(touch(store, "lost")).rejects.toMatchObject({ code: "store_unreachable", retry: true });
  });

  test("is store_busy when a lock is not given within the budget", async () => {
    const { schema, admin } = newSchema();
    const store = await openStore({ url: server as string, schema, budgetMs: 200 });
    await makeRoom(store);
    await admin.begin(async (sql) => {
      await sql`SELECT 1 FROM rooms FOR UPDATE`;
      await expect(touch(store, "waiting")).rejects.toMatchObject({
        code: "store_busy",
        retry: true,
        outcomeUnknown: false,
        facts: { sqlstate: "55P03" },
      });
    });
    await touch(store, "free");
  });

  test("gets a lock back from a process that froze inside a transaction", async () => {
    const { schema } = newSchema();
    const options = { url: server as string, schema, budgetMs: 1000 };
    const store = await openStore(options);
    await makeRoom(store);
    const frozen = new Database({ ...options, maxConnections: 1 });
    onTestFinished(() => frozen.close());
    const freezing = frozen.session(async (session) => {
      await session.send([
        { sql: "BEGIN", params: [] },
        { sql: "SELECT 1 FROM rooms FOR UPDATE", params: [] },
      ]);
      await touch(store, "not kept waiting");
    });
    await freezing;
    expect((await store.readRoom(ROOM_ID))?.room.state.turnHead).toBe("not kept waiting");
  });

  test("is store_readonly for a role that may only read", async () => {
    const { schema, admin } = newSchema();
    await makeRoom(await openStore({ url: server as string, schema }));
    const role = `reader_${schema}`;
    await admin.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'test-only';
      GRANT USAGE ON SCHEMA ${schema} TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
    onTestFinished(async () => {
      await admin.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    });
    const url = new URL(server as string);
    url.username = role;
    url.password = "test-only";
    const store = await openStore({ url: url.href, schema });
    expect((await store.readRoom(ROOM_ID))?.room.path).toBe("/projects");
    await expect(touch(store, "mine")).rejects.toMatchObject({ code: "store_readonly", retry: false });
    await store.close();
  });

  test("refuses wrong credentials and a missing database for good", async () => {
    for (const change of [(url: URL) => (url.password = "wrong"), (url: URL) => (url.pathname = "/no_such_database")]) {
      const url = new URL(server as string);
      change(url);
      await expect(openPostgresStore({ url: url.href })).rejects.toMatchObject({
        code: "store_unreachable",
        retry: false,
      });
    }
  });

  test("a guarded statement that touches no row stops the whole change", async () => {
    const { schema, admin } = newSchema();
    const options = { url: server as string, schema };
    await makeRoom(await openStore(options));
    const database = new Database({ ...options, budgetMs: 1000, maxConnections: 1 });
    onTestFinished(() => database.close());
    const guarded = raw("UPDATE rooms SET turn_head = 'x' WHERE room_id = 'room' AND last_seq = 7");
    const other = raw("INSERT INTO pruning (room_id) VALUES ('room')");
    const writing = database.session((session) =>
      session.send(writeTogether([{ ...guarded, mustTouchOne: true }, other])),
    );
    await expect(writing).rejects.toThrow("touched no row");
    expect(await admin`SELECT * FROM pruning`).toHaveLength(0);
  });
});

describe.skipIf(server === null)("the PostgreSQL bell", () => {
  test("hears again after it was cut off, and takes the gap for a ring", async () => {
    const schema = `bell_${Math.random().toString(36).slice(2)}`;
    const link = await flakyLink(server as string);
    const listener = openBell(link.url, schema);
    const claude = asAgentId("claude:1");
    const subscription = await listener.subscribe(claude);
    link.cut();
    expect(await subscription.next(10_000)).toBe("rang");
    await openBell(server as string, schema).ring([claude]);
    expect(await subscription.next(10_000)).toBe("rang");
    await link.down();
    await listener.ring([claude]);
    await link.up();
    expect(await subscription.next(15_000)).toBe("rang");
  });

  test("looks more often where it cannot listen", async () => {
    const link = await flakyLink(server as string);
    await link.down();
    const subscription = await openBell(link.url, "nowhere").subscribe(asAgentId("claude:1"));
    expect(subscription.lookEveryMs).toBe(250);
  });

  test("hears where its role has one connection, and keeps no process alive", async () => {
    const { schema, admin } = newSchema();
    const role = `single_${schema}`;
    await admin.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'test-only' CONNECTION LIMIT 1`);
    onTestFinished(async () => {
      await admin.unsafe(`DROP ROLE ${role}`);
    });
    const url = new URL(server as string);
    url.username = role;
    url.password = "test-only";
    const bundle = await bundleFixture("test/store-contract/fixtures/single-subscriber.ts");
    onTestFinished(() => bundle.remove());
    const subscriber = startFixture(bundle, [url.href, schema]);
    onTestFinished(() => void subscriber.child.kill("SIGKILL"));
    expect((await subscriber.lines().next()).value).toEqual([2000, 2000]);
    expect(await subscriber.ended).toEqual({ code: 0, signal: null, stderr: "" });
  });

  test("does not stumble over what others say on its channel", async () => {
    const schema = `bell_${Math.random().toString(36).slice(2)}`;
    const subscription = await openBell(server as string, schema).subscribe(asAgentId("claude:1"));
    const admin = postgres(server as string, { max: 1 });
    for (const payload of ["{", '{"a":1}', "[1]", ""]) {
      await admin.notify(`${schema}_bell`, payload);
      expect(await subscription.next(5000)).toBe("rang");
    }
    await admin.end();
  });
});

function newSchema() {
  const schema = `test_${Math.random().toString(36).slice(2)}`;
  const admin = postgres(server as string, { max: 2, onnotice: () => undefined, connection: { search_path: schema } });
  onTestFinished(async () => {
    await admin.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });
  return { schema, admin };
}

async function openStore(options: PostgresOptions): Promise<Store> {
  const store = await openPostgresStore(options);
  onTestFinished(() => store.close());
  return store;
}

/** A store with one room, behind a link that can fail. */
async function linked(options: { budgetMs?: number } = {}) {
  const { schema, admin } = newSchema();
  const link = await flakyLink(server as string);
  const store = await openStore({ url: link.url, schema, ...options });
  await makeRoom(store);
  return { link, store, schema, admin };
}

function openBell(url: string, schema: string): Bell {
  const database = new Database({ url, schema, budgetMs: 2000, maxConnections: 1 });
  const bell = openPostgresBell(database);
  onTestFinished(async () => {
    await bell.close();
    await database.close();
  });
  return bell;
}
