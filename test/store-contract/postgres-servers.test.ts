/** Servers that are not as a store needs them: each has its own fault, with advice that helps. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import type { Store } from "../../src/engine/ports/store.ts";
import { openPostgresStore, type PostgresOptions } from "../../src/store/postgres/open.ts";
import { type OwnServer, startPostgres } from "../support/postgres-server.ts";
import { makeRoom, ROOM_ID, touch } from "./one-room.ts";

const hasServer = inject("postgresUrl") !== null;

if (!hasServer) process.stderr.write("SKIPPED: PostgreSQL servers with a fault: there is no server\n");

/** A few for the server's own users are kept back. */
const SETTINGS = ["max_connections=16"];

describe.skipIf(!hasServer)("a server", () => {
  let server: OwnServer;

  beforeAll(async () => {
    server = await startPostgres(SETTINGS);
  });

  afterAll(() => server?.stop());

  const openStore = async (options: Partial<PostgresOptions> = {}): Promise<Store> => {
    const store = await openPostgresStore({ url: server.url, schema: "a_store", ...options });
    onTestFinished(() => store.close());
    return store;
  };

  /** Another role without a special right, and its address. */
  const roleWith = async (rights: string): Promise<string> => {
    const name = `role_${Math.random().toString(36).slice(2)}`;
    const admin = adminOf(server.url);
    await admin.unsafe(`CREATE ROLE ${name} LOGIN PASSWORD 'test-only' ${rights}`);
    const url = new URL(server.url);
    url.username = name;
    url.password = "test-only";
    return url.href;
  };

  /** Takes all connections that the server still has. */
  const fill = async () => {
    const others: postgres.Sql[] = [];
    const leave = async () => {
      await Promise.all(others.map((other) => other.end({ timeout: 0 })));
    };
    onTestFinished(leave);
    for (;;) {
      const other = postgres(server.url, { max: 1, fetch_types: false });
      others.push(other);
      const error: unknown = await other`SELECT 1`.then(() => null).catch((reason: unknown) => reason);
      if (error === null) continue;
      expect(error).toMatchObject({ code: "53300" });
      return leave;
    }
  };

  test("that has no connection left is waited for, and then says so, and not a word about locks", async () => {
    const limited = await roleWith("CONNECTION LIMIT 0");
    await makeRoom(await openStore());
    const fault = {
      name: "Fault",
      code: "store_busy",
      retry: true,
      message: expect.stringMatching(/no free connection for 2100 ms: .*too many/),
      facts: { sqlstate: "53300", waited_ms: 2100 },
      next: expect.stringMatching(/max_connections.*pooler/),
    };
    const leave = await fill();
    for (const url of [server.url, limited])
      await expect(openPostgresStore({ url, schema: "a_store", budgetMs: 100 })).rejects.toMatchObject(fault);
    const opening = openStore();
    await leave();
    expect((await (await opening).readRoom(ROOM_ID))?.room.path).toBe("/projects");
  });

  test("whose schema was dropped under a running process says so", async () => {
    const store = await openStore({ schema: "dropped" });
    await makeRoom(store);
    await adminOf(server.url).unsafe("DROP SCHEMA dropped CASCADE");
    const fault = { code: "store_unsafe", retry: false, next: expect.stringMatching(/dropped or changed/) };
    await expect(store.readRoom(ROOM_ID)).rejects.toMatchObject(fault);
    await expect(touch(store, "into nothing")).rejects.toMatchObject(fault);
  });

  test("that does not know the password, the role, the database or a parameter blames the address", async () => {
    const change: readonly ((url: URL) => void)[] = [
      (url) => (url.password = "hunter2"),
      (url) => (url.username = "nobody"),
      (url) => (url.pathname = "/no_such_database"),
      (url) => (url.search = "?nonsense=hunter2"),
      (url) => (url.search = "?statement_timeout=hunter2"),
    ];
    for (const wrong of change) {
      const url = new URL(server.url);
      wrong(url);
      const error: unknown = await openPostgresStore({ url: url.href }).catch((reason: unknown) => reason);
      const told = { code: "store_unreachable", retry: false, next: expect.stringMatching(/address of the store/) };
      expect(error).toMatchObject(told);
      if (!url.search.includes("timeout")) expect((error as Error).message).not.toContain("hunter2");
    }
  });

  test("that lets a role in no longer, or not into this database, says what helps", async () => {
    const admin = adminOf(server.url);
    const expired = await roleWith("VALID UNTIL '2001-01-01'");
    await expect(openPostgresStore({ url: expired })).rejects.toMatchObject({
      code: "store_unreachable",
      retry: false,
      next: expect.stringContaining("VALID UNTIL"),
    });
    await admin.unsafe("CREATE DATABASE closed");
    await admin.unsafe("REVOKE CONNECT ON DATABASE closed FROM PUBLIC");
    const outside = new URL(await roleWith(""));
    outside.pathname = "/closed";
    await expect(openPostgresStore({ url: outside.href })).rejects.toMatchObject({
      code: "store_unreachable",
      retry: false,
      next: expect.stringContaining("GRANT CONNECT"),
    });
  });

  test.each([
    ["words", "CREATE TABLE words.schema_version (version text); INSERT INTO words.schema_version VALUES ('V1__init')"],
    [
      "numbers",
      "CREATE TABLE numbers.schema_version (version int, name text); INSERT INTO numbers.schema_version VALUES (3)",
    ],
    ["columns", "CREATE TABLE columns.schema_version (installed_rank int)"],
    ["views", "CREATE VIEW views.schema_version AS SELECT 13 AS version"],
    ["rooms", "CREATE TABLE rooms.rooms (name text)"],
  ])("whose schema has the %s of another program leaves them alone and says so", async (schema, script) => {
    const admin = adminOf(server.url);
    await admin.unsafe(`CREATE SCHEMA ${schema}; ${script}`);
    const open = async () => makeRoom(await openStore({ schema }));
    await expect(open()).rejects.toMatchObject({
      code: "store_unsafe",
      retry: false,
      next: expect.stringMatching(/belongs to another program/),
    });
    const tables =
      await admin`SELECT 1 FROM pg_class WHERE relnamespace = ${schema}::regnamespace AND relkind IN ('r', 'v')`;
    expect(tables).toHaveLength(1);
  });

  test("that gives a role no right to make the schema is read-only for it", async () => {
    const url = await roleWith("");
    await expect(openPostgresStore({ url, schema: "not_ours" })).rejects.toMatchObject({
      code: "store_readonly",
      retry: false,
      facts: { sqlstate: "42501" },
      next: expect.stringMatching(/role that may create/),
    });
  });

  test("that was made read-only can be read, and says that it cannot be written", async () => {
    const store = await openStore({ schema: "for_reading" });
    await makeRoom(store);
    const name = "read_only_database";
    const admin = adminOf(server.url);
    await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE template0`);
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    await makeRoom(await openStore({ url: url.href }));
    await admin.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const reader = await openStore({ url: url.href });
    expect((await reader.readRoom(ROOM_ID))?.room.path).toBe("/projects");
    const fault = { code: "store_readonly", retry: false, facts: { sqlstate: "25006" } };
    await expect(touch(reader, "no")).rejects.toMatchObject(fault);
    await expect(openPostgresStore({ url: url.href, schema: "new_one" })).rejects.toMatchObject(fault);
  });

  /** The address of this server with others before it. */
  const behind = (...hosts: readonly string[]) => {
    const { host } = new URL(server.url);
    return server.url.replace(host, [...hosts, host].join(","));
  };

  test("is found behind others that refuse or are full", async () => {
    const limited = await startPostgres(["max_connections=5", "superuser_reserved_connections=0", "max_wal_senders=0"]);
    onTestFinished(() => limited.stop());
    const others = Array.from({ length: 5 }, () => postgres(limited.url, { max: 1, fetch_types: false }));
    onTestFinished(async () => {
      await Promise.all(others.map((other) => other.end({ timeout: 0 })));
    });
    await Promise.all(others.map((other) => other`SELECT 1`));
    const url = behind("127.0.0.1:1", new URL(limited.url).host);
    const store = await openStore({ url, schema: "behind" });
    await makeRoom(store);
    expect((await store.readRoom(ROOM_ID))?.room.path).toBe("/projects");
  });

  test("that refuses, as all others of the address, is said to refuse at once", async () => {
    const url = server.url.replace(new URL(server.url).host, "127.0.0.1:1,127.0.0.1:2");
    await expect(openStore({ url, budgetMs: 60_000 })).rejects.toMatchObject({
      code: "store_unreachable",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });

  test("that is a standby can be read, and says that it cannot be written", async () => {
    await makeRoom(await openStore({ schema: "followed" }));
    const url = await server.standby();
    const reader = await openStore({ url, schema: "followed" });
    expect((await reader.readRoom(ROOM_ID))?.room.path).toBe("/projects");
    const fault = { code: "store_readonly", retry: false, next: expect.stringMatching(/primary/) };
    await expect(touch(reader, "no")).rejects.toMatchObject(fault);
    await expect(openPostgresStore({ url, schema: "new_one" })).rejects.toMatchObject(fault);
  });

  test("that is a standby without its primary is asked now and then, and used when it is promoted", async () => {
    const standby = await server.standby();
    const counts = await countedLine(standby);
    const url = standby.replace(new URL(standby).host, `127.0.0.1:1,${counts.host}`);
    await expect(openPostgresStore({ url, schema: "promoted", budgetMs: 100 })).rejects.toMatchObject({
      code: "store_unreachable",
      retry: true,
      message: expect.stringMatching(/accepted no changes for 2100 ms: .*standby/),
      next: expect.stringContaining("promote"),
    });
    expect(counts.connections()).toBeLessThan(15);
    const opening = openStore({ url, schema: "promoted" });
    await adminOf(standby).unsafe("SELECT pg_promote()");
    await makeRoom(await opening);
  });
});

/** A line to a server that counts the connections made through it. */
async function countedLine(url: string) {
  const { hostname, port } = new URL(url);
  let count = 0;
  const line = createServer((client) => {
    count += 1;
    const upstream = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one
        .on("error", () => other.destroy())
        .on("close", () => other.destroy())
        .pipe(other);
  }).listen(0, "127.0.0.1");
  await once(line, "listening");
  onTestFinished(() => void line.close());
  return { host: `127.0.0.1:${(line.address() as AddressInfo).port}`, connections: () => count };
}

function adminOf(url: string): postgres.Sql {
  const admin = postgres(url, { max: 1, onnotice: () => undefined, fetch_types: false });
  onTestFinished(() => admin.end({ timeout: 0 }));
  return admin;
}
