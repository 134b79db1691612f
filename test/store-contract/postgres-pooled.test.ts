/** The store behind a pgbouncer. Each transaction may then run on another connection of the server, with its settings. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { asAgentId } from "../../src/core/ids.ts";
import { openPostgres, openPostgresStore } from "../../src/store/postgres/open.ts";
import { ownSchema } from "../support/own-schema.ts";
import { flakyLink } from "./flaky-link.ts";
import { onServer } from "./on-server.ts";
import { makeRoom, ROOM_ID, touch } from "./one-room.ts";
import { canPool, openPooler, startPooler } from "./pooler.ts";
import { storeContract } from "./store-contract.ts";

const server = inject("postgresUrl");
if (server === null) process.stderr.write("SKIPPED: PostgreSQL behind a pooler: there is no server\n");
const isPooled = server !== null && canPool();

const SETTINGS_OF_A_CONNECTION =
  "search_path,lock_timeout,statement_timeout,idle_in_transaction_session_timeout,synchronous_commit,jit";

/** So few that the transactions of different clients share the server's connections. */
const FEW = ["default_pool_size = 3"];

describe.skipIf(!isPooled)("the PostgreSQL store behind a pooler in transaction mode", () => {
  const directory = mkdtempSync(join(tmpdir(), "tt-pooler-"));
  let url = "";
  let stop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    ({ url, stop } = await openPooler(server as string, directory, { mode: "transaction", settings: FEW }));
  });
  afterAll(async () => {
    await stop?.();
    rmSync(directory, { recursive: true, force: true });
  });

  storeContract(() => {
    const own = ownSchema(server as string, "pooled");
    return onServer(own, url, () => openPostgresStore({ url, schema: own.schema }));
  });
});

describe.skipIf(!isPooled)("behind a pooler", () => {
  const ways = [
    { mode: "transaction", settings: [] },
    { mode: "session", settings: [] },
    { mode: "transaction", settings: [`ignore_startup_parameters = ${SETTINGS_OF_A_CONNECTION}`] },
    { mode: "session", settings: [`ignore_startup_parameters = ${SETTINGS_OF_A_CONNECTION}`] },
  ] as const;

  test.each(ways)("in $mode mode with $settings every transaction has our settings", async (way) => {
    const { schema, admin } = ownSchema(server as string, "pooled");
    // What a transaction finds on a connection of the server that is not ours alone.
    const database = `other_${schema}`;
    await admin.unsafe(`CREATE DATABASE ${database}`);
    await admin.unsafe(`ALTER DATABASE ${database} SET synchronous_commit TO off`);
    onTestFinished(async () => {
      await admin.unsafe(`DROP DATABASE ${database} WITH (FORCE)`);
    });
    const direct = new URL(server as string);
    direct.pathname = `/${database}`;
    const url = await startPooler(direct.href, way);
    const { store, bell } = await openPostgres({ url, schema });
    onTestFinished(async () => {
      await bell.close();
      await store.close();
    });
    const watcher = postgres(direct.href, { max: 1, onnotice: () => undefined, connection: { search_path: schema } });
    onTestFinished(() => watcher.end());
    await makeRoom(store);
    await watcher.unsafe(`CREATE TABLE seen (commits text, jit text, path text);
      CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO seen SELECT current_setting('synchronous_commit'), current_setting('jit'), current_setting('search_path');
        RETURN NEW; END $$;
      CREATE TRIGGER see BEFORE UPDATE ON rooms FOR EACH ROW EXECUTE FUNCTION see()`);
    await touch(store, "changed");
    expect((await store.readRoom(ROOM_ID))?.room.state.turnHead).toBe("changed");
    expect(await watcher`SELECT DISTINCT commits, jit, path FROM seen`).toMatchObject([
      { commits: "on", jit: "off", path: schema },
    ]);
    expect(await watcher`SELECT to_regclass('public.rooms') AS rooms`).toMatchObject([{ rooms: null }]);
    const subscription = await bell.subscribe(asAgentId("claude:1"));
    expect(subscription.lookEveryMs).toBe(250);
    // The server sees only how the pooler reaches it.
    expect((await store.lookAtServer?.())?.isEncrypted).toBeNull();
  });

  test("a process goes on when the pooler is taken away", async () => {
    const { schema } = ownSchema(server as string, "pooled");
    const link = await flakyLink(await startPooler(server as string, { mode: "transaction" }));
    const { store, bell } = await openPostgres({ url: link.url, schema });
    onTestFinished(async () => {
      await bell.close();
      await store.close();
    });
    await makeRoom(store);
    link.turnTo(server as string);
    await touch(store, "without it");
    expect((await store.readRoom(ROOM_ID))?.room.state.turnHead).toBe("without it");
    // Its connections have their settings from the beginning again, so they hear rings.
    expect((await bell.subscribe(asAgentId("claude:1"))).lookEveryMs).toBe(2000);
    link.turnTo(await startPooler(server as string, { mode: "transaction" }));
    await touch(store, "with another one");
    expect((await store.readRoom(ROOM_ID))?.room.state.turnHead).toBe("with another one");
  });

  test.each([
    ["names the pooler", [], false],
    ["is mended by the advice", ["server_reset_query_always = 1"], true],
  ] as const)("a connection that another client made read-only %s", async (_, more, works) => {
    const { schema } = ownSchema(server as string, "pooled");
    const settings = ["default_pool_size = 1", ...more];
    const url = await startPooler(server as string, { mode: "transaction", settings });
    const store = await openPostgresStore({ url, schema });
    onTestFinished(() => store.close());
    await makeRoom(store);
    const other = postgres(url, { max: 1, fetch_types: false, prepare: false });
    await other.unsafe("SET default_transaction_read_only = on");
    await other.end();
    const outcome = touch(store, "changed");
    if (works) return void (await outcome);
    await expect(outcome).rejects.toMatchObject({
      code: "store_readonly",
      next: expect.stringContaining("server_reset_query_always = 1"),
    });
  });

  test("an encoding that the address demands is refused also behind a pooler", async () => {
    const url = new URL(await startPooler(server as string, { mode: "transaction" }));
    url.searchParams.set("client_encoding", "SJIS");
    await expect(openPostgresStore({ url: url.href, schema: "encoded" })).rejects.toMatchObject({
      code: "store_unsafe",
      facts: { setting: "client_encoding", value: "SJIS" },
    });
  });

  test("a parameter of the address that the pooler refuses is named", async () => {
    const url = new URL(await startPooler(server as string, { mode: "transaction" }));
    url.searchParams.set("work_mem", "1MB");
    await expect(openPostgresStore({ url: url.href, schema: "refused" })).rejects.toMatchObject({
      code: "store_unsafe",
      retry: false,
      message: expect.stringContaining("work_mem"),
      next: expect.stringMatching(/address of the store.*ignore_startup_parameters/),
    });
  });

  test("a pooler whose connections are all in use is named when it does not answer", async () => {
    const { schema } = ownSchema(server as string, "pooled");
    const url = await startPooler(server as string, { mode: "session", settings: ["default_pool_size = 1"] });
    const first = postgres(url, { max: 1, fetch_types: false, prepare: false });
    await first`SELECT 1`;
    await expect(openPostgresStore({ url, schema, budgetMs: 100 })).rejects.toMatchObject({
      code: "store_unreachable",
      retry: true,
      next: expect.stringContaining("default_pool_size"),
    });
    await first.end();
  });

  test("a pooler without a free place is waited for, and then says so", async () => {
    const { schema } = ownSchema(server as string, "pooled");
    const url = await startPooler(server as string, { mode: "transaction", settings: ["max_client_conn = 1"] });
    const first = postgres(url, { max: 1, fetch_types: false, prepare: false });
    await first`SELECT 1`;
    await expect(openPostgresStore({ url, schema, budgetMs: 100 })).rejects.toMatchObject({
      code: "store_busy",
      retry: true,
      message: expect.stringMatching(/no free connection for 2100 ms/),
      next: expect.stringMatching(/max_client_conn/),
    });
    const opening = openPostgresStore({ url, schema });
    await first.end();
    await (await opening).close();
  });

  test("an address that overrides a setting of the store is refused by name", async () => {
    const url = new URL(server as string);
    for (const [name, value] of [
      ["search_path", "public"],
      ["synchronous_commit", "off"],
      ["client_encoding", "SJIS"],
    ] as const) {
      url.search = `?${name}=${value}`;
      await expect(openPostgresStore({ url: url.href, schema: "overridden" })).rejects.toMatchObject({
        code: "store_unsafe",
        facts: { setting: name, value },
        next: expect.stringContaining(`Remove ${name} from the address`),
      });
    }
  });
});
